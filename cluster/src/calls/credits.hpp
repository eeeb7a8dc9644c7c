// Credits for calls at another rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/entry.hpp>
#include <kumiko/runtime/io/limits.hpp>

#include "calls/waiting.hpp"

namespace kumiko::cluster::detail {

/// Credits of this rank for calls at another one, for each depth of calls; see Here for the reason.
///
/// *Invariant.* For each depth, the credits that are available and those that calls hold are
/// `window` together, and threads wait only while none is available. The lock protects all members;
/// a thread that holds it neither suspends nor wakes another one.
///
/// Any thread may call the functions; take() may suspend it.
class Credits {
 public:
  /// \param window  the number of credits of each depth
  explicit Credits(int window) noexcept : window_(window) {}

  /// Takes a credit; waits for it, first come, first served. Returns true if it had to wait.
  /// \throws the exception of fail(), std::system_error at a limit
  bool take(unsigned depth, const runtime::io::Limits& limits) {
    {
      const std::lock_guard lock(guard_);
      if (take_now(depth)) return false;
    }
    // Made only if needed, because a token that is not sent makes an exception.
    Waiter waiter{*this, depth};
    {
      const std::lock_guard lock(guard_);
      if (take_now(depth)) {
        waiter.token.send({});
        return false;
      }
      of(depth).waiters.push_back(&waiter);
    }
    wait_within(waiter, limits);
    waiter.entry.get();
    return true;
  }

  /// Gives `count` credits back. Does not suspend.
  void give(unsigned depth, std::size_t count) {
    std::vector<Waiter*> served;
    {
      const std::lock_guard lock(guard_);
      Depth& at = of(depth);
      for (; count > 0 && !at.waiters.empty(); --count) {
        served.push_back(at.waiters.front());
        at.waiters.pop_front();
      }
      at.available += count;
    }
    for (Waiter* const waiter : served) waiter->token.send({});
  }

  /// True if calls hold credits, or threads wait for some.
  bool are_awaited() {
    const std::lock_guard lock(guard_);
    return failure_ == nullptr &&
           std::any_of(depths_.begin(), depths_.end(), [this](const Depth& at) {
             return !at.waiters.empty() || at.available < static_cast<std::size_t>(window_);
           });
  }

  /// The number of threads that wait for a credit.
  std::size_t waiters() {
    const std::lock_guard lock(guard_);
    std::size_t count = 0;
    for (const Depth& at : depths_) count += at.waiters.size();
    return count;
  }

  /// All threads that wait for a credit get this exception, now and later.
  void fail(std::exception_ptr exception) {
    std::vector<Waiter*> failed;
    {
      const std::lock_guard lock(guard_);
      if (failure_ != nullptr) return;
      failure_ = std::move(exception);
      for (Depth& at : depths_) {
        failed.insert(failed.end(), at.waiters.begin(), at.waiters.end());
        at.waiters.clear();
      }
    }
    // failure_ does not change from now on.
    for (Waiter* const waiter : failed) waiter->fail(failure_);
  }

 private:
  struct Waiter {
    Credits& credits;
    unsigned depth;
    runtime::Entry<std::monostate> entry{};
    runtime::Token<std::monostate> token = entry.token();

    bool take_back() { return credits.remove(*this); }
    void fail(std::exception_ptr exception) { token.send_exception(std::move(exception)); }
  };

  struct Depth {
    std::size_t available = 0;
    std::deque<Waiter*> waiters;
  };

  /// The caller holds the lock. \throws the exception of fail()
  bool take_now(unsigned depth) {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    Depth& at = of(depth);
    if (!at.waiters.empty() || at.available == 0) return false;
    --at.available;
    return true;
  }

  Depth& of(unsigned depth) {
    while (depths_.size() <= depth) depths_.push_back({static_cast<std::size_t>(window_), {}});
    return depths_[depth];
  }

  bool remove(Waiter& waiter) {
    const std::lock_guard lock(guard_);
    std::deque<Waiter*>& waiters = of(waiter.depth).waiters;
    const auto place = std::find(waiters.begin(), waiters.end(), &waiter);
    if (place == waiters.end()) return false;
    waiters.erase(place);
    return true;
  }

  const int window_;
  runtime::detail::SpinLock guard_;
  std::exception_ptr failure_;  ///< guarded; so are the depths
  std::vector<Depth> depths_;
};

}  // namespace kumiko::cluster::detail
