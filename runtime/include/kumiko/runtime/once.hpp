// Runs an initialisation exactly once, in the thread that calls first, like std::call_once.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

#include <kumiko/runtime/mutex.hpp>

namespace kumiko::runtime {

/// Remembers whether something has been done. See call_once().
class OnceFlag {
  template <class Function, class... Arguments>
  friend void call_once(OnceFlag& flag, Function&& function, Arguments&&... arguments);

  std::atomic<bool> done_{false};
  Mutex mutex_;
};

/// Calls function(arguments...) unless a call by the same flag has returned already. Suspends a
/// lightweight caller, or blocks an OS thread, while another thread's call is in progress. If
/// `function` throws, its caller gets the exception, and the next call tries again. `function` may
/// suspend. Cost once done: one load.
template <class Function, class... Arguments>
void call_once(OnceFlag& flag, Function&& function, Arguments&&... arguments) {
  // acquire: pairs with the release below, for what the function has done.
  if (flag.done_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(flag.mutex_);
  // relaxed: the thread that set it has unlocked the mutex.
  if (flag.done_.load(std::memory_order_relaxed)) return;
  std::invoke(std::forward<Function>(function), std::forward<Arguments>(arguments)...);
  flag.done_.store(true, std::memory_order_release);
}

}  // namespace kumiko::runtime
