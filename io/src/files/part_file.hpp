// Files under a provisional name, `FILE.part`, until they are whole and on the disk.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/runtime/io/file_descriptor.hpp>

namespace kumiko::io {

/// The suffix of provisional names.
inline constexpr std::string_view kPartSuffix = ".part";
bool is_part(std::string_view name);

/// Puts a folder's names on the disk. Throws OutputError. Some file systems cannot (EINVAL): they
/// order what they do themselves. A folder that may be written but not listed cannot be opened for
/// it: what has its name there is whole, and on the disk when the system finds time.
void sync_folder(const std::filesystem::path& folder);

/// "cannot write 'path': cause", with the cause of errno, and the remedy if it is a limit of the
/// process or the disk.
OutputError cannot_write(const std::filesystem::path& path, int error);

/// The treatment of a part that is never published. One that is kept is not locked: its folder is.
enum class Abandoned { kRemove, kKeep };

/// The provisional name of a file, which one process at a time has. Whoever writes the file closes
/// it before publish().
class PartFile {
 public:
  /// Makes the part empty or takes over what a killed process has left. Throws OutputError, also if
  /// another process writes the same file.
  explicit PartFile(std::filesystem::path target, Abandoned abandoned = Abandoned::kRemove);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& part() const { return part_; }
  /// From now on the part stays if it is never published.
  void keep() { abandoned_ = Abandoned::kKeep; }

  /// Waits until the part is on the disk and gives it its name, replacing what had that name.
  /// Throws OutputError; the file may have its name then, but the folder that says so may not be on
  /// the disk.
  void publish();
  /// Gives a part that is on the disk its name, as publish() does.
  void take_name();
  /// As publish(), but does not wait for the disk: for a file that may be lost with the power.
  void publish_unsynced();

 private:
  std::filesystem::path target_;
  std::filesystem::path part_;
  Abandoned abandoned_;
  bool published_ = false;
  runtime::io::FileDescriptor lock_;
};

/// Has `content` write a folder under its provisional name, waits until every file and folder in it
/// is on the disk, then gives it its name, which must be free or that of an empty folder. Makes its
/// parents where they are missing, and removes what one that was killed has left; `content` finds
/// the folder empty. Throws OutputError, also if another process writes the same folder, and what
/// `content` throws; nothing is left then.
void write_folder(const std::filesystem::path& target,
                  const std::function<void(const std::filesystem::path& part)>& content);

/// The treatment of the contents of a file that is opened for writing.
enum class Existing { kTruncate, kAppend };

/// An unbuffered file that is open for writing: errors show in the call that causes them.
class FileWriter {
 public:
  /// Creates the file, or opens the one that is there. Throws OutputError.
  explicit FileWriter(const std::filesystem::path& path, Existing existing = Existing::kTruncate);

  /// Writes all of it. Throws OutputError.
  void write(std::string_view bytes);
  /// Closes the file. Throws OutputError when the system reports a write that failed late.
  void close();

 private:
  std::filesystem::path path_;
  runtime::io::FileDescriptor descriptor_;
};

}  // namespace kumiko::io
