// What commands share that start other programs, by the shell.
#pragma once

#include <filesystem>
#include <string>

namespace kumiko::app {

/// A word for the shell, whatever is in it.
std::string shell_word(const std::string& text);

/// Whether the shell finds a program of this name.
bool is_program(const std::string& name);

/// The exit code of a program that std::system() has started, or the number of what ended it.
int exit_code_of(int status);

/// The last line of a text file that is not empty; "it printed no message" without one.
std::string last_line(const std::filesystem::path& file);

/// A folder of its own, which goes with the object.
class ScratchFolder {
 public:
  /// Makes a hidden folder in another one, with `name` and letters that nobody else has in its
  /// name. Throws std::runtime_error.
  ScratchFolder(const std::filesystem::path& in, const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kumiko::app
