// Finds out what is behind a descriptor: a TCP stream, another socket, a file, a device.
#pragma once

#include <cstdint>

namespace kumiko::runtime::detail {

/// What is behind a descriptor, as far as it decides how one reads and writes without blocking.
enum class DescriptorKind : std::uint8_t {
  kUnknown,  ///< not looked at yet
  kTcp,      ///< a stream over IP: a short read means that nothing is left
  kSocket,   ///< any other socket
  kPipe,
  kFile,    ///< a file, folder or block device: never "not ready", though it may take long
  kDevice,  ///< a terminal or other character device: its writes may block though it is ready
  kOther,   ///< event descriptors, ...
};

inline bool is_socket(DescriptorKind kind) noexcept {
  return kind == DescriptorKind::kTcp || kind == DescriptorKind::kSocket;
}

/// What is behind `descriptor`, or -errno. Cost: one to three system calls.
int classify(int descriptor, DescriptorKind& kind) noexcept;

}  // namespace kumiko::runtime::detail
