// Owns a descriptor of the system and closes it through the runtime, which lets its waiters go.
#pragma once

#include <utility>

#include <kumiko/runtime/io/result.hpp>

namespace kumiko::runtime::io {

/// Owns a descriptor of the system: closes it in the end, by io::close(). Empty by default.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// Takes it over.
  explicit FileDescriptor(int descriptor) noexcept : descriptor_(descriptor) {}
  /// Leaves `other` empty.
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(other.release()) {}
  /// Closes what it had, and leaves `other` empty. May suspend.
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;

  /// Closes it. May suspend.
  ~FileDescriptor();

  /// The number; -1 if there is none.
  int get() const noexcept { return descriptor_; }
  /// Whether there is one.
  explicit operator bool() const noexcept { return descriptor_ >= 0; }

  /// Gives the descriptor away.
  int release() noexcept { return std::exchange(descriptor_, -1); }

  /// Closes it now, and tells of errors, which for a file may be about what was written before.
  /// Other threads may be waiting for it meanwhile (see io::close()). May suspend.
  Result<void> close();

 private:
  int descriptor_ = -1;
};

}  // namespace kumiko::runtime::io
