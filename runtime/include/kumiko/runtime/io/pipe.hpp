// A stream of bytes from one thread or process to another on the same machine.
#pragma once

#include <cstddef>
#include <span>

#include <kumiko/runtime/io/file_descriptor.hpp>
#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/io/result.hpp>

namespace kumiko::runtime::io {

/// The two ends of a pipe. The other end may belong to another process.
struct Pipe {
  FileDescriptor reader;  ///< the end to read from
  FileDescriptor writer;  ///< the end to write to

  /// Makes a pipe. \returns too_many_files_open if no descriptors are left.
  static Result<Pipe> create();

  /// See io::read().
  Result<std::size_t> read(std::span<std::byte> into, const Limits& limits = {});
  /// See io::write_all().
  Transfer write_all(std::span<const std::byte> from, const Limits& limits = {});
};

}  // namespace kumiko::runtime::io
