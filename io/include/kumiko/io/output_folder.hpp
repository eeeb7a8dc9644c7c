// The folder that a run writes to, with files that appear whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <stdexcept>
#include <string_view>

#include <kumiko/runtime/io/file_descriptor.hpp>

namespace kumiko::io {

/// Output is refused or failed; what() names the file, the cause and, where there is one, the
/// remedy.
struct OutputError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// What becomes of a run that is in the folder already.
enum class Earlier {
  kRefuse,   ///< the folder must be empty, or not there
  kReplace,  ///< its files are removed; a folder that holds other files and no run is refused
  kContinue  ///< its files stay; see forget_end()
};

/// Files of every run: the first, and the two that end it, the summary last.
inline constexpr std::string_view kConfigurationFile = "effective.toml";
inline constexpr std::string_view kManifestFile = "manifest.json";
inline constexpr std::string_view kSummaryFile = "summary.json";
/// The trace of a run that records one.
inline constexpr const char* kTraceFile = "trace.hdf";

/// What the names of sidecars end with, which stand beside checkpoints and states.
inline constexpr std::string_view kSidecarEnd = ".run.json";

/// The folder of one run. Every file of a run has a name that owns() knows, so that a run which
/// overwrites another leaves nothing of it behind, and touches nothing else.
class OutputFolder {
 public:
  /// Tells whether a run may write to `path`, without changing anything. Throws OutputError when it
  /// is not a folder, cannot be made or written, or holds what `earlier` does not allow: the
  /// message tells a run, one that is being written, and other files apart.
  static void check(const std::filesystem::path& path, Earlier earlier);

  /// Whether `name` is one of a run's files, or such a file left unfinished.
  static bool owns(std::string_view name);
  /// What one of a run's files is for, in a few words; empty for other files.
  static std::string_view purpose(std::string_view name);

  /// Checks, makes the folder with its parents where it is missing, so that it is on the disk, and
  /// removes files that an earlier run left, as `earlier` says. Throws OutputError, also when
  /// another OutputFolder, of this process or another one, has the folder (by flock(2), where the
  /// file system knows it).
  OutputFolder(std::filesystem::path path, Earlier earlier);

  const std::filesystem::path& path() const { return path_; }
  /// Removes what says that the run was complete, and files that were not finished: for a run that
  /// goes on, when nothing can refuse it any more and its tables have been begun. Throws
  /// OutputError.
  void forget_end() const;
  /// Whether a run has begun to write to a folder.
  static bool holds_run(const std::filesystem::path& folder);
  /// Names of the run's files that have such a number, by it: numbered("state_#.hdf").
  /// "#" stands for six digits or more.
  static std::map<std::int64_t, std::filesystem::path> numbered(const std::filesystem::path& folder,
                                                                std::string_view pattern);
  /// Where to put a file. A name that owns() does not know is a programmer error
  /// (std::logic_error).
  std::filesystem::path file(std::string_view name) const;

 private:
  std::filesystem::path path_;
  runtime::io::FileDescriptor lock_;  ///< keeps others from the folder
};

/// Tells whether a file of this name can be written, without writing it. Throws OutputError; also
/// where a folder or a device has the name.
void check_writable(const std::filesystem::path& file);

/// Tells whether files can be put into a folder, or the folder be made, without making it. Throws
/// OutputError.
void check_writable_folder(const std::filesystem::path& folder);

/// Writes a file: first as `FILE.part`, which is on the disk before it takes its name. A file that
/// stood there is replaced at once or, on failure, left as it was. Any bytes, not only text.
/// Throws OutputError.
void write_text_file(const std::filesystem::path& file, std::string_view text);
/// Writes a file as above, from what `content` writes to a stream, so that large texts need not be
/// in memory.
void write_text_file(const std::filesystem::path& file,
                     const std::function<void(std::ostream&)>& content);

}  // namespace kumiko::io
