#include "files/part_lock.hpp"

#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "files/part_file.hpp"

namespace kumiko::io {

namespace {

namespace fs = std::filesystem;
using runtime::io::FileDescriptor;

/// True on SMB, whose locks are mandatory: they would refuse this process's own writes.
bool has_mandatory_locks(int descriptor) {
  constexpr std::uint32_t kCifs = 0xFF534D42;
  constexpr std::uint32_t kSmb2 = 0xFE534D42;
  struct statfs system {};
  if (::fstatfs(descriptor, &system) != 0) return false;
  const auto type = static_cast<std::uint32_t>(system.f_type);
  return type == kCifs || type == kSmb2;
}

/// False if the name leads to another file, or to none: whoever held the lock before has renamed or
/// removed this one.
bool still_has_name(int descriptor, const fs::path& path) {
  struct stat own {};
  struct stat named {};
  if (::fstat(descriptor, &own) != 0) return true;
  if (::stat(path.c_str(), &named) != 0) return errno != ENOENT;
  return own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

/// Opens the part by `open` and locks it, again if it lost its name in between.
template <class Open>
FileDescriptor lock_named(const fs::path& part, const fs::path& target, Open open) {
  while (true) {
    FileDescriptor descriptor(open());
    if (!descriptor) throw cannot_write(part, errno);
    if (!try_lock(descriptor.get())) {
      throw OutputError(fmt::format(
          "another process is writing '{}'; wait until it has ended, or name another place",
          target.string()));
    }
    if (still_has_name(descriptor.get(), part)) return descriptor;
  }
}

}  // namespace

bool try_lock(int descriptor) {
  if (has_mandatory_locks(descriptor)) return true;
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

FileDescriptor lock_part_file(const fs::path& part, const fs::path& target) {
  return lock_named(part, target,
                    [&part] { return ::open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666); });
}

FileDescriptor lock_part_folder(const fs::path& part, const fs::path& target) {
  FileDescriptor descriptor = lock_named(part, target, [&part] {
    std::error_code none;
    if (!fs::is_directory(fs::symlink_status(part, none))) fs::remove(part, none);
    ::mkdir(part.c_str(), 0777);
    return ::open(part.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  });
  for (const auto& entry : fs::directory_iterator(part)) fs::remove_all(entry.path());
  return descriptor;
}

}  // namespace kumiko::io
