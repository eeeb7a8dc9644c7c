#include "files/part_file.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "files/part_lock.hpp"

namespace kumiko::io {

namespace {

/// Puts a file's bytes, or a folder's names, on the disk; returns errno, 0 when done.
int sync(const std::filesystem::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (descriptor < 0) return errno;
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  return error;
}

/// True if this process, as its effective user, may not open a folder that it may add files to.
bool may_not_be_listed(const std::filesystem::path& folder) {
  return ::faccessat(AT_FDCWD, folder.c_str(), R_OK, AT_EACCESS) != 0;
}

/// Puts the bytes of all files and the names of all folders below one, and its own, on the disk.
void sync_all(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) {
      sync_folder(entry.path());
    } else if (const int error = sync(entry.path(), 0); error != 0) {
      throw cannot_write(entry.path(), error);
    }
  }
  sync_folder(folder);
}

std::filesystem::path part_of(std::filesystem::path target) { return target += kPartSuffix; }

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

/// The remedy for a limit of the process or the disk; empty for other errors.
std::string_view remedy_of(int error) {
  if (error == EFBIG) return "; raise the limit on file sizes (ulimit -f)";
  if (error == ENOSPC || error == EDQUOT) {
    return "; free space there, or name a folder elsewhere with --output";
  }
  if (error == EMFILE) return "; raise the limit on open files (ulimit -n)";
  return error == EAGAIN ? "; raise the limits on memory and threads (ulimit -v, ulimit -u)" : "";
}

}  // namespace

bool is_part(std::string_view name) {
  return name.size() > kPartSuffix.size() && name.ends_with(kPartSuffix);
}

void sync_folder(const std::filesystem::path& folder) {
  const int error = sync(folder, O_DIRECTORY);
  if (error == EACCES && may_not_be_listed(folder)) return;
  if (error != 0 && error != EINVAL) throw cannot_write(folder, error);
}

OutputError cannot_write(const std::filesystem::path& path, int error) {
  OutputError result(fmt::format("cannot write '{}': {}{}", path.string(),
                                 std::generic_category().message(error), remedy_of(error)));
  result.is_disk_full = error == ENOSPC || error == EDQUOT;
  return result;
}

PartFile::PartFile(std::filesystem::path target, Abandoned abandoned)
    : target_(std::move(target)), part_(part_of(target_)), abandoned_(abandoned) {
  if (abandoned_ == Abandoned::kRemove) lock_ = lock_part_file(part_, target_);
}

PartFile::~PartFile() {
  if (published_ || abandoned_ == Abandoned::kKeep) return;
  ::unlink(part_.c_str());
}

void PartFile::publish() {
  if (const int error = sync(part_, 0); error != 0) throw cannot_write(part_, error);
  take_name();
}

void PartFile::take_name() {
  publish_unsynced();
  sync_folder(folder_of(target_));
}

void PartFile::publish_unsynced() {
  if (::rename(part_.c_str(), target_.c_str()) != 0) throw cannot_write(target_, errno);
  published_ = true;
  lock_ = {};
}

void write_folder(const std::filesystem::path& target,
                  const std::function<void(const std::filesystem::path& part)>& content) {
  const std::filesystem::path part = part_of(target);
  runtime::io::FileDescriptor lock;
  const auto abandon = [&] {
    std::error_code ignored;
    if (lock) std::filesystem::remove_all(part, ignored);
  };
  try {
    std::filesystem::create_directories(folder_of(target));
    lock = lock_part_folder(part, target);
    content(part);
    sync_all(part);
    if (::rename(part.c_str(), target.c_str()) != 0) throw cannot_write(target, errno);
    sync_folder(folder_of(target));
  } catch (const std::filesystem::filesystem_error& error) {
    abandon();
    throw cannot_write(target, error.code().value());
  } catch (...) {
    abandon();
    throw;
  }
}

FileWriter::FileWriter(const std::filesystem::path& path, Existing existing)
    : path_(path),
      descriptor_(::open(
          path.c_str(),
          O_WRONLY | O_CREAT | O_CLOEXEC | (existing == Existing::kAppend ? O_APPEND : O_TRUNC),
          0666)) {
  if (!descriptor_) throw cannot_write(path_, errno);
}

void FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw cannot_write(path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void FileWriter::close() {
  if (const auto closed = descriptor_.close(); !closed) {
    throw cannot_write(path_, closed.error().value());
  }
}

}  // namespace kumiko::io
