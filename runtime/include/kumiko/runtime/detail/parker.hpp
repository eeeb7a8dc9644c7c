#pragma once

#include <atomic>
#include <cstdint>

#include <kumiko/runtime/detail/deadline.hpp>

namespace kumiko::runtime::detail {

/// Where one OS thread sleeps until another wakes it: a binary semaphore on one futex word.
///
/// A signal that comes before park() is kept, so neither order loses it. Two signals count as one.
/// unpark() gives the sleeper permission to destroy the Parker: after its store it hands only the
/// address to the kernel, which at worst wakes someone who looks at his own word and sleeps again.
class Parker {
 public:
  Parker() = default;
  Parker(const Parker&) = delete;
  Parker& operator=(const Parker&) = delete;

  /// Blocks the calling OS thread until a signal is there and takes it. Only one thread may park.
  void park() noexcept;

  /// The same until `deadline` at the latest. Returns whether it took a signal.
  bool park_until(Deadline deadline) noexcept;

  /// Leaves a signal and wakes the sleeper, if any. Cost: one system call.
  void unpark() noexcept;

 private:
  std::atomic<std::uint32_t> signalled_{0};
};

}  // namespace kumiko::runtime::detail
