// A memory barrier that costs the frequent side nothing and the rare side a system call
// (membarrier).
#pragma once

#include <atomic>

namespace kumiko::runtime::detail {

/// A full memory barrier between two sides of which one is frequent and the other rare: the light
/// side pays nothing, for the heavy side makes the kernel run a barrier on every core that executes
/// this process (membarrier, PRIVATE_EXPEDITED). Where the kernel does not offer that, both sides
/// use a read-modify-write of one common word, which orders them by its modification order.
class AsymmetricBarrier {
 public:
  AsymmetricBarrier() noexcept;

  /// The barrier between a store and a load of the frequent side.
  void light() noexcept {
    if (kernel_helps_) {
      // Keeps the compiler from exchanging the two; the heavy side sees to the processor.
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      meet();
    }
  }

  /// Whether light() costs no instruction.
  bool light_side_is_free() const noexcept { return kernel_helps_; }

  /// The barrier between a store and a load of the rare side. Cost: a system call, a few
  /// microseconds.
  void heavy() noexcept;

 private:
  /// acq_rel: whichever side comes second in the word's order sees what the first stored before.
  void meet() noexcept { word_.fetch_add(0, std::memory_order_acq_rel); }

  const bool kernel_helps_;
  std::atomic<int> word_{0};
};

}  // namespace kumiko::runtime::detail
