// Owns a descriptor that the runtime keeps to itself.
#pragma once

#include <utility>

#include <unistd.h>

namespace kumiko::runtime::detail {

/// Owns a descriptor that no lightweight thread waits for, such as an engine's own.
class UniqueDescriptor {
 public:
  UniqueDescriptor() = default;
  explicit UniqueDescriptor(int descriptor) noexcept : descriptor_(descriptor) {}
  UniqueDescriptor(UniqueDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  UniqueDescriptor& operator=(UniqueDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~UniqueDescriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int get() const noexcept { return descriptor_; }

 private:
  int descriptor_ = -1;
};

}  // namespace kumiko::runtime::detail
