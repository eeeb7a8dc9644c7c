#include "core/idle.hpp"

#include <algorithm>
#include <mutex>

namespace kumiko::runtime::detail {

void Idle::announce(Parker& sleeper) noexcept {
  {
    const std::lock_guard lock(guard_);
    sleepers_.push_back(&sleeper);
    state_.fetch_add(kSleeper - kSearcher, std::memory_order_seq_cst);
  }
  barrier_.heavy();
}

bool Idle::retract(Parker& sleeper) noexcept {
  const std::lock_guard lock(guard_);
  const auto place = std::find(sleepers_.begin(), sleepers_.end(), &sleeper);
  if (place == sleepers_.end()) return false;
  sleepers_.erase(place);
  state_.fetch_sub(kSleeper - kSearcher, std::memory_order_seq_cst);
  return true;
}

void Idle::wake_one() noexcept {
  Parker* woken = nullptr;
  {
    const std::lock_guard lock(guard_);
    // Somebody else may have woken one since the caller looked. A searcher seen here does as well
    // as one seen there: the work is visible since before either look.
    if (!wants_searcher(state_.load(std::memory_order_relaxed))) return;
    woken = sleepers_.back();
    sleepers_.pop_back();
    state_.fetch_sub(kSleeper - kSearcher, std::memory_order_seq_cst);
  }
  woken->unpark();
}

void Idle::wake_all() noexcept {
  for (;;) {
    Parker* woken = nullptr;
    {
      const std::lock_guard lock(guard_);
      if (sleepers_.empty()) return;
      woken = sleepers_.back();
      sleepers_.pop_back();
      state_.fetch_sub(kSleeper - kSearcher, std::memory_order_seq_cst);
    }
    woken->unpark();
  }
}

}  // namespace kumiko::runtime::detail
