// Owns a file descriptor and closes it through the runtime, which wakes the threads that wait for
// it.
#pragma once

#include <utility>

#include <kumiko/runtime/io/result.hpp>

namespace kumiko::runtime::io {

/// Owns a file descriptor and closes it in the destructor by io::close(). Empty by default.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// Takes ownership of a descriptor.
  explicit FileDescriptor(int descriptor) noexcept : descriptor_(descriptor) {}
  /// Takes the descriptor over from `other`, which is empty afterwards.
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(other.release()) {}
  /// Closes its own descriptor and takes over that of `other`, which is empty afterwards. May
  /// suspend.
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;

  /// Closes the descriptor, if there is one. May suspend.
  ~FileDescriptor();

  /// The descriptor's number; -1 if empty.
  int get() const noexcept { return descriptor_; }
  /// Whether it owns a descriptor.
  explicit operator bool() const noexcept { return descriptor_ >= 0; }

  /// Releases ownership of the descriptor.
  int release() noexcept { return std::exchange(descriptor_, -1); }

  /// Closes the descriptor now and returns the error, which for a file may concern earlier writes.
  /// Other threads may be waiting for it meanwhile (see io::close()). May suspend.
  Result<void> close();

 private:
  int descriptor_ = -1;
};

}  // namespace kumiko::runtime::io
