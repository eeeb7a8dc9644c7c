// The group that the workers below one last-level cache are to run at the same time.
#pragma once

#include <atomic>

namespace kumiko::runtime::detail {

class Aggregation;

/// What one worker shows its neighbours, after Yamada and Kusakabe (2010): the group that it goes
/// on with, until it next looks into its queue and another goes. One worker at a time writes it,
/// who found it empty; the others read it. A hint: whatever is read, who waits is bounded as
/// without it.
class alignas(64) PublishedGroup {
 public:
  /// Anyone: what is shown, nullptr for nothing. Cost: a load.
  // acquire: pairs with the release in offer() and replace(), which shows the record's places.
  const Aggregation* group() const noexcept { return group_.load(std::memory_order_acquire); }

  /// Shows a group, unless another worker shows one. Returns whether the caller now writes it.
  bool offer(const Aggregation& group) noexcept {
    // relaxed: only what is written must be seen in order.
    const Aggregation* nothing = group_.load(std::memory_order_relaxed);
    return nothing == nullptr &&
           group_.compare_exchange_strong(nothing, &group, std::memory_order_release,
                                          std::memory_order_relaxed);
  }

  /// Who writes it: shows another group, or, with nullptr, nothing, and writes it no longer.
  void replace(const Aggregation* group) noexcept {
    group_.store(group, std::memory_order_release);
  }

 private:
  std::atomic<const Aggregation*> group_{nullptr};
};

}  // namespace kumiko::runtime::detail
