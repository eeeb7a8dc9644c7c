#include <array>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include <kumiko/runtime/io/operations.hpp>
#include <kumiko/runtime/io/pipe.hpp>

namespace kumiko::runtime::io {

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
