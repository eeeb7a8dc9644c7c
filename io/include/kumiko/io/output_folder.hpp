// The folder that a run writes to, and files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string_view>

namespace kumiko::io {

/// Output is refused or failed; what() names the file, the cause and, where there is one, the
/// remedy.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The folder of one run. Every file of a run has a name that owns() knows, so that a run which
/// overwrites another leaves nothing of it behind, and touches nothing else.
class OutputFolder {
 public:
  /// Tells whether a run may write to `path`, without changing anything. Throws OutputError when it
  /// is no folder, cannot be made or written, or is in use (not empty) and `overwrite` is false.
  static void check(const std::filesystem::path& path, bool overwrite);

  /// Whether `name` is one of a run's files, or such a file left unfinished.
  static bool owns(std::string_view name);

  /// Checks, makes the folder with its parents where it is missing, and with `overwrite` removes
  /// the files that an earlier run left. Throws OutputError.
  OutputFolder(std::filesystem::path path, bool overwrite);

  const std::filesystem::path& path() const { return path_; }
  /// Where to put a file. A name that owns() does not know is a programmer error
  /// (std::logic_error).
  std::filesystem::path file(std::string_view name) const;
  /// Writes one of the run's files, as write_text_file() does.
  void write_text(std::string_view name, std::string_view text) const;
  /// The same for what `content` writes to a stream: large texts need not be in memory.
  void write(std::string_view name, const std::function<void(std::ostream&)>& content) const;

 private:
  std::filesystem::path path_;
};

/// Tells whether a file of this name can be written, without writing it. Throws OutputError.
void check_writable(const std::filesystem::path& file);

/// Writes a file: first as `FILE.part`, which is on the disk before it takes its name. A file that
/// stood there is replaced at once or, on failure, left as it was. Any bytes, not only text.
/// Throws OutputError.
void write_text_file(const std::filesystem::path& file, std::string_view text);

}  // namespace kumiko::io
