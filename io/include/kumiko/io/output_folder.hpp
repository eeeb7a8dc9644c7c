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

/// Output is refused or has failed; what() names the file, the cause and, if there is one, the
/// remedy.
struct OutputError : std::runtime_error {
  using runtime_error::runtime_error;
  bool is_disk_full = false;
};

/// The treatment of an earlier run in the folder.
enum class Earlier {
  kRefuse,   ///< the folder must be empty or must not exist
  kReplace,  ///< its files are removed; a folder with other files but no run is refused
  kContinue  ///< its files are kept; see forget_end()
};

/// Files of every run: the first one written, and the last two, of which the summary is the very
/// last.
inline constexpr std::string_view kConfigurationFile = "effective.toml";
inline constexpr std::string_view kManifestFile = "manifest.json";
inline constexpr std::string_view kSummaryFile = "summary.json";
/// The trace of a run that records one.
inline constexpr const char* kTraceFile = "trace.hdf";

/// The ending of the names of sidecars, the files next to checkpoints and states.
inline constexpr std::string_view kSidecarEnd = ".run.json";

/// The folder of one run. owns() recognises the name of every file of a run, so a run that replaces
/// another one removes all of its files and no other files.
class OutputFolder {
 public:
  /// Checks whether a run may write to `path`, without changing anything. Throws OutputError if it
  /// is not a folder, cannot be made or written, or has contents that `earlier` does not allow. The
  /// message distinguishes between a run, a run in progress, and other files.
  static void check(const std::filesystem::path& path, Earlier earlier);

  /// True if `name` is the name of one of a run's files, or of such a file that is unfinished.
  static bool owns(std::string_view name);
  /// The purpose of one of a run's files, in a few words; empty for other files.
  static std::string_view purpose(std::string_view name);

  /// Calls check(), makes the folder and its parents if they do not exist, so that they are on the
  /// disk, and removes the files of an earlier run if `earlier` requires it. Throws OutputError,
  /// also if another OutputFolder of this or another process uses the folder (by flock(2), if the
  /// file system supports it).
  OutputFolder(std::filesystem::path path, Earlier earlier);

  const std::filesystem::path& path() const { return path_; }
  /// If the folder has been removed, makes it again and keeps other runs out of it. Throws
  /// OutputError. \return whether it was removed
  bool make_again();
  /// Removes the files that mark the run as complete, and unfinished files. For a run that
  /// continues, after all checks and after its tables have been begun. Throws OutputError.
  void forget_end() const;
  /// True if a run has begun to write to a folder.
  static bool holds_run(const std::filesystem::path& folder);
  /// The names of the run's numbered files that match a pattern, by their number:
  /// numbered("state_#.hdf"). "#" stands for six or more digits.
  static std::map<std::int64_t, std::filesystem::path> numbered(const std::filesystem::path& folder,
                                                                std::string_view pattern);
  /// The path for a file. A name that owns() does not recognise is a programmer error
  /// (std::logic_error).
  std::filesystem::path file(std::string_view name) const;

 private:
  std::filesystem::path path_;
  runtime::io::FileDescriptor lock_;  ///< keeps other runs out of the folder
};

/// True for a name of letters, digits, '_' and '-', which a record may have.
bool is_record_name(std::string_view name);

/// Checks whether a file of this name can be written, without writing it. Throws OutputError, also
/// if the name is that of a folder or a device.
void check_writable(const std::filesystem::path& file);

/// Checks whether files can be put into a folder, or whether the folder can be made, without making
/// it. Throws OutputError.
void check_writable_folder(const std::filesystem::path& folder);

/// Writes a file, first as `FILE.part`, which is on the disk before it is renamed. An earlier file
/// is replaced atomically or, on failure, left unchanged. The content may be any bytes, not only
/// text. Throws OutputError, also if another process is writing the same file (by flock(2)).
void write_text_file(const std::filesystem::path& file, std::string_view text);
/// Writes a file as above, from what `content` writes to a stream, so that large texts need not be
/// in memory.
void write_text_file(const std::filesystem::path& file,
                     const std::function<void(std::ostream&)>& content);
/// Writes a file as above, where `content` writes it under its provisional name, as another program
/// does.
void write_file_by_name(const std::filesystem::path& file,
                        const std::function<void(const std::filesystem::path& part)>& content);

}  // namespace kumiko::io
