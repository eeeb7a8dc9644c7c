#include <sched.h>

#include <kumiko/runtime/detail/spinlock.hpp>

#include "machine/cpu_pause.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

void SpinLock::lock_contended() noexcept {
  for (int tries = 1; !try_lock(); ++tries) {
    // Reading does not take the cache line from the holder.
    while (locked_.load(std::memory_order_relaxed) && tries % tunables::kSpinLockTries != 0) {
      cpu_pause();
      ++tries;
    }
    if (tries % tunables::kSpinLockTries == 0) sched_yield();
  }
}

}  // namespace kumiko::runtime::detail
