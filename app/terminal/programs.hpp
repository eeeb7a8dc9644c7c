// Starts other programs by the shell.
#pragma once

#include <filesystem>
#include <string>

namespace kumiko::app {

/// True if the shell finds a program of this name.
bool is_program(const std::string& name);

/// The exit code of a program that has ended with a wait status, or the number of its signal.
int exit_code_of(int status);

/// The last line of a text file that is not empty; "it printed no message" without one.
std::string last_line(const std::filesystem::path& file);

/// A folder of its own, which goes with the object.
class ScratchFolder {
 public:
  /// Makes a hidden folder in another one. Its name is `name` and letters that make it unique.
  /// Throws std::runtime_error.
  ScratchFolder(const std::filesystem::path& in, const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kumiko::app
