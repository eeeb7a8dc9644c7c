// A counter that one OS thread writes and any may read.
#pragma once

#include <atomic>
#include <cstdint>

namespace kumiko::runtime::detail {

/// A counter that one OS thread writes and any may read.
class OwnCounter {
 public:
  void increment(std::uint64_t by = 1) noexcept {
    // release: pairs with the acquire in read(), so that a count comes after what it counts.
    value_.store(value_.load(std::memory_order_relaxed) + by, std::memory_order_release);
  }
  std::uint64_t read() const noexcept { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace kumiko::runtime::detail
