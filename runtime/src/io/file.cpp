#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kumiko/runtime/io/file.hpp>
#include <kumiko/runtime/io/operations.hpp>
#include <kumiko/runtime/io/pipe.hpp>

namespace kumiko::runtime::io {

FileDescriptor::~FileDescriptor() { static_cast<void>(close()); }

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    static_cast<void>(close());
    descriptor_ = other.release();
  }
  return *this;
}

Result<void> FileDescriptor::close() {
  // Taken first: whoever sees this object meanwhile must not use the number any more.
  const int descriptor = release();
  if (descriptor < 0) return {};
  return io::close(descriptor);
}

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

Result<Pipe> Pipe::create() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::error_code(errno, std::generic_category());
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Result<std::size_t> Pipe::read(std::span<std::byte> into, const Limits& limits) {
  return io::read(reader.get(), into, limits);
}

Transfer Pipe::write_all(std::span<const std::byte> from, const Limits& limits) {
  return io::write_all(writer.get(), from, limits);
}

}  // namespace kumiko::runtime::io
