// Owns a descriptor of the system and closes it through the runtime, which lets its waiters go.
#pragma once

#include <utility>

#include <kumiko/runtime/io/result.hpp>

namespace kumiko::runtime::io {

/// Owns a descriptor of the system: closes it in the end, by io::close(). Empty by default.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// Takes a descriptor over.
  explicit FileDescriptor(int descriptor) noexcept : descriptor_(descriptor) {}
  /// Takes the descriptor over from `other`, which is empty afterwards.
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(other.release()) {}
  /// Closes the descriptor that it had and takes over that of `other`, which is empty afterwards.
  /// May suspend.
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;

  /// Closes the descriptor, if there is one. May suspend.
  ~FileDescriptor();

  /// The descriptor's number; -1 if empty.
  int get() const noexcept { return descriptor_; }
  /// Whether it owns a descriptor.
  explicit operator bool() const noexcept { return descriptor_ >= 0; }

  /// Gives the descriptor away.
  int release() noexcept { return std::exchange(descriptor_, -1); }

  /// Closes the descriptor now and returns the error, which for a file may be about what was
  /// written before. Other threads may be waiting for it meanwhile (see io::close()). May suspend.
  Result<void> close();

 private:
  int descriptor_ = -1;
};

}  // namespace kumiko::runtime::io
