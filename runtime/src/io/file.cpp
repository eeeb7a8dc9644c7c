#include <cerrno>

#include <sys/stat.h>

#include <kumiko/runtime/io/file.hpp>
#include <kumiko/runtime/io/operations.hpp>

namespace kumiko::runtime::io {

Result<File> File::open(const std::filesystem::path& path, int flags, mode_t mode,
                        const Limits& limits) {
  const Result<int> descriptor = io::open(path.c_str(), flags, mode, limits);
  if (!descriptor) return descriptor.error();
  return File(FileDescriptor(*descriptor));
}

Transfer File::read_at(off_t offset, std::span<std::byte> into, const Limits& limits) const {
  return pread_exactly(descriptor(), into, offset, limits);
}

Transfer File::write_at(off_t offset, std::span<const std::byte> from, const Limits& limits) {
  return pwrite_all(descriptor(), from, offset, limits);
}

Result<std::size_t> File::read(std::span<std::byte> into, const Limits& limits) {
  return io::read(descriptor(), into, limits);
}

Transfer File::write_all(std::span<const std::byte> from, const Limits& limits) {
  return io::write_all(descriptor(), from, limits);
}

Result<off_t> File::size() const {
  struct stat status {};
  if (fstat(descriptor(), &status) != 0) return std::error_code(errno, std::generic_category());
  return status.st_size;
}

Result<void> File::sync(const Limits& limits) { return fsync(descriptor(), limits); }

Result<void> File::sync_data(const Limits& limits) { return fdatasync(descriptor(), limits); }

}  // namespace kumiko::runtime::io
