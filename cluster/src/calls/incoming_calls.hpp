// The calls of other ranks that run on this one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <utility>

#include <kumiko/runtime/detail/spinlock.hpp>

namespace kumiko::cluster::detail {

/// A call of another rank.
struct IncomingCall {
  int caller;
  unsigned depth;
  bool credit_returned;
  IncomingCall* previous = nullptr;
  IncomingCall* next = nullptr;
};

/// The calls of other ranks that run, and the decision to return their credits before they end: if
/// calls run but none begins or ends, they may wait for calls that lack credits. Other events do
/// not count, because threads may yield, and messages of other kinds arrive, without end.
///
/// *Invariant.* The credit of a call is returned once: relieve() and dismiss() decide under the
/// lock which of them returns it. The lock protects the list and the calls in it; the counts are
/// atomic.
///
/// The threads that run calls admit and dismiss them; the poller calls the other functions, and has
/// the last four members to itself.
class IncomingCalls {
 public:
  using Clock = std::chrono::steady_clock;

  /// This number of calls will be admitted.
  void expect(std::uint32_t count) noexcept { count_.fetch_add(count, std::memory_order_relaxed); }

  void admit(IncomingCall& call) noexcept {
    const std::lock_guard lock(guard_);
    moves_.fetch_add(1, std::memory_order_relaxed);
    call.next = first_;
    if (first_ != nullptr) first_->previous = &call;
    first_ = &call;
  }

  /// Returns true if the credit has been returned already.
  bool dismiss(IncomingCall& call) noexcept {
    const std::lock_guard lock(guard_);
    moves_.fetch_add(1, std::memory_order_relaxed);
    (call.previous != nullptr ? call.previous->next : first_) = call.next;
    if (call.next != nullptr) call.next->previous = call.previous;
    count_.fetch_sub(1, std::memory_order_relaxed);
    return call.credit_returned;
  }

  // The poller's.

  /// Calls give_back(call) for calls whose credits must be returned now. Returns their number.
  /// `idle`: the worker has nothing else to do. Calls time() only if it needs the time.
  template <class Time, class GiveBack>
  int relieve(bool idle, Time& time, GiveBack give_back) {
    looks_at_ = Clock::time_point::max();
    if (count_.load(std::memory_order_relaxed) == 0) return 0;
    const std::uint64_t moves = moves_.load(std::memory_order_relaxed);
    const bool has_moved = moves != std::exchange(seen_moves_, moves);
    if (!has_moved && all_relieved_) return 0;
    all_relieved_ = false;
    const Clock::time_point now = time();
    if (has_moved) latest_move_ = now;
    if (now < latest_move_ + (idle ? kStuckAfter : kStuckWhileBusyAfter)) {
      looks_at_ = latest_move_ + kStuckAfter;
      return 0;
    }
    latest_move_ = now;
    const std::lock_guard lock(guard_);
    int relieved = 0;
    for (IncomingCall* call = first_; call != nullptr && relieved < kMost; call = call->next) {
      if (std::exchange(call->credit_returned, true)) continue;
      give_back(std::as_const(*call));
      ++relieved;
    }
    // A call that is admitted later counts as a move.
    all_relieved_ = relieved == 0;
    if (!all_relieved_) looks_at_ = now + kStuckAfter;
    return relieved;
  }

  /// The time by which relieve() must be called again; Clock::time_point::max() if there is none.
  Clock::time_point looks_at() const noexcept { return looks_at_; }

 private:
  static constexpr std::chrono::milliseconds kStuckAfter{1};
  static constexpr std::chrono::milliseconds kStuckWhileBusyAfter{10};
  static constexpr int kMost = 8;  ///< credits that are returned at a time

  runtime::detail::SpinLock guard_;
  IncomingCall* first_ = nullptr;        ///< guarded
  std::atomic<std::uint32_t> count_{0};  ///< includes calls that have not begun yet
  std::atomic<std::uint64_t> moves_{0};  ///< the number of begins and ends of calls

  // The poller's.
  Clock::time_point latest_move_ = Clock::now();
  std::uint64_t seen_moves_ = 0;
  bool all_relieved_ = false;  ///< since the latest move
  Clock::time_point looks_at_ = Clock::time_point::max();
};

}  // namespace kumiko::cluster::detail
