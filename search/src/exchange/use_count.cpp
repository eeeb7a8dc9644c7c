#include "exchange/use_count.hpp"

#include "core/or_end.hpp"

namespace kumiko::search::detail {

bool UseCount::try_begin() noexcept {
  // relaxed: the state of the object is read under its lock.
  int uses = uses_.load(std::memory_order_relaxed);
  while (uses > 0) {
    if (uses_.compare_exchange_weak(uses, uses + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

void UseCount::end() noexcept {
  // acq_rel: the thread that ends the last use sees all that the others have done.
  if (uses_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  or_end([this] { ended_.set_value(); });
}

void UseCount::end_and_wait() {
  auto ended = ended_.get_future();
  end();
  ended.get();
}

}  // namespace kumiko::search::detail
