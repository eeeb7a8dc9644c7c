#include "machine/shared_cores.hpp"

namespace kumiko::runtime::detail {

bool SharedCores::ask(Clock::time_point now) {
  const Clock::rep time = now.time_since_epoch().count();
  // relaxed, as shared_: both are read for their own sake, and an old value is as good as having
  // asked a moment earlier.
  // acquire, paired with the release below: whoever looks sees what the last one has left in calm_
  // and level_, and its due_, so that it does not look again at once.
  if (time >= due_.load(std::memory_order_relaxed) &&
      !looking_.exchange(true, std::memory_order_acquire)) {
    if (time >= due_.load(std::memory_order_relaxed)) {
      shared_.store(decide(level_(now)), std::memory_order_relaxed);
      due_.store(time + Clock::duration(kInterval).count(), std::memory_order_relaxed);
    }
    looking_.store(false, std::memory_order_release);
  }
  return shared_.load(std::memory_order_relaxed);
}

bool SharedCores::decide(double level) noexcept {
  if (level >= 1) {
    calm_ = 0;
    return true;
  }
  calm_ = level < kLow ? calm_ + 1 : 0;
  return shared_.load(std::memory_order_relaxed) && calm_ < kCalmLooks;
}

}  // namespace kumiko::runtime::detail
