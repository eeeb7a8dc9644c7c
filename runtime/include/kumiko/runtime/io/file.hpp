// Reads and writes an open file by calls that block only the calling thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

#include <sys/types.h>

#include <kumiko/runtime/io/file_descriptor.hpp>
#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/io/result.hpp>

namespace kumiko::runtime::io {

/// An open file. Each call blocks only the calling thread; any number may be in progress at once.
class File {
 public:
  /// An object without a file.
  File() = default;
  /// Takes ownership of an open file.
  explicit File(FileDescriptor descriptor) noexcept : descriptor_(std::move(descriptor)) {}

  /// Opens a file as open(2) does: `flags` is O_RDONLY, O_WRONLY or O_RDWR, with O_CREAT, O_TRUNC,
  /// ...
  static Result<File> open(const std::filesystem::path& path, int flags, mode_t mode = 0666,
                           const Limits& limits = {});

  /// Fills `into`, unless the file ends or an error occurs. See io::pread().
  Transfer read_at(off_t offset, std::span<std::byte> into, const Limits& limits = {}) const;
  /// Writes all of `from`, unless an error occurs. See io::pwrite().
  Transfer write_at(off_t offset, std::span<const std::byte> from, const Limits& limits = {});

  /// Reads up to into.size() bytes at the file's position, and advances it.
  Result<std::size_t> read(std::span<std::byte> into, const Limits& limits = {});
  /// Writes all of `from` at the file's position, and advances it.
  Transfer write_all(std::span<const std::byte> from, const Limits& limits = {});

  /// The current size of the file in bytes.
  Result<off_t> size() const;

  /// See io::fsync().
  Result<void> sync(const Limits& limits = {});
  /// See io::fdatasync().
  Result<void> sync_data(const Limits& limits = {});

  /// See FileDescriptor::close().
  Result<void> close() { return descriptor_.close(); }

  /// The descriptor's number; -1 without a file.
  int descriptor() const noexcept { return descriptor_.get(); }
  /// Whether there is a file.
  explicit operator bool() const noexcept { return static_cast<bool>(descriptor_); }

 private:
  FileDescriptor descriptor_;
};

}  // namespace kumiko::runtime::io
