// Counts a group's threads that have not ended, and keeps the first exception that escaped one.
#pragma once

#include <atomic>
#include <exception>
#include <utility>

#include <kumiko/runtime/detail/current.hpp>
#include <kumiko/runtime/detail/hardware.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

namespace kumiko::runtime::detail {

/// What a JoinCounter is made of.
struct JoinHardware : Hardware {
  using Waiter = detail::Waiter;
  /// More than there can be threads.
  static constexpr Number kOwnerToken = Number{1} << 62;
};

/// Counts the unfinished threads of a group for one owner, who waits for them.
///
/// tokens_ starts at kOwnerToken. Three kinds of threads are told apart:
///   - Spawned by the owner, and ended before the owner went on: never counted.
///   - Spawned by the owner, who went on without its end (somebody stole the owner's continuation,
///     or the thread waited): the owner counts it in left_behind_, its own plain integer, and the
///     thread takes one token off when it ends. Which comes first does not matter.
///   - Spawned by others: adds a token before, takes it off at the end.
/// So outside wait_for_all() the number of unfinished threads is always
///     tokens_ - kOwnerToken + left_behind_          (*)
/// except for an owner's thread between the owner's going on and its count. tokens_ stays far above
/// zero meanwhile. In wait_for_all() the owner replaces its token by left_behind_ in one step,
/// after which tokens_ is the number of unfinished threads; it can grow only while it is not zero,
/// for those who may still spawn have a token themselves. It falls to zero exactly once: either in
/// the owner's step, who then wakes itself, or in one thread's leave(), who then wakes the owner.
/// Nobody else touches the counter after its own step. Hence the owner may destroy the counter as
/// soon as it goes on.
/// tests/runtime/model runs this code on a Machine of its own, and checks the argument.
template <class Machine>
class BasicJoinCounter {
 public:
  using Waiter = typename Machine::Waiter;
  using WaiterPointer = typename Machine::template Pointer<Waiter>;

  /// Owner: a thread it has spawned has not ended yet.
  void leave_behind() noexcept { ++left_behind_; }

  /// Others: before they spawn a thread.
  void add() noexcept {
    // relaxed: the counter cannot reach zero before, and the thread's own step comes later.
    tokens_.fetch_add(1, std::memory_order_relaxed);
  }

  /// A thread that was left behind or added has ended. Returns the owner if it is to be woken.
  WaiterPointer leave() noexcept {
    // release: pairs with the acquire of the owner's step, or of the last thread's.
    // acquire: waiter_ was written before the owner's step.
    if (tokens_.fetch_sub(1, std::memory_order_acq_rel) == 1) return waiter_;
    return nullptr;
  }

  /// Owner: waits until no thread is unfinished; the counter is as new then.
  /// Cost if none was left behind and nobody added one: two loads.
  void wait_for_all() noexcept {
    // acquire: pairs with the release in leave(). By (*) no thread is unfinished if this holds,
    // since the owner is not within a spawn.
    if (left_behind_ != 0 || tokens_.load(std::memory_order_acquire) != kOwnerToken) wait_slowly();
  }

 private:
  using Number = typename Machine::Number;

  static constexpr auto kOwnerToken = Machine::kOwnerToken;

  void wait_slowly() noexcept;  // in threads/join_counter.hpp
  static void give_up_token(void* counter) noexcept;

  typename Machine::template Atomic<Number> tokens_{kOwnerToken};
  typename Machine::template Plain<Number> left_behind_{0};
  /// The owner in wait_for_all().
  typename Machine::template Plain<WaiterPointer> waiter_{nullptr};
};

using JoinCounter = BasicJoinCounter<JoinHardware>;

extern template void BasicJoinCounter<JoinHardware>::wait_slowly() noexcept;

/// The first of several exceptions.
class FirstException {
 public:
  /// Keeps the first exception and drops later ones. The caller's thread must end before rethrow()
  /// is called.
  void keep(std::exception_ptr exception) noexcept {
    // relaxed: the joining of the threads orders everything else.
    if (!taken_.exchange(true, std::memory_order_relaxed)) exception_ = std::move(exception);
  }

  /// Throws it, if there is one, and forgets it.
  void rethrow() {
    if (exception_ == nullptr) return;
    taken_.store(false, std::memory_order_relaxed);
    std::rethrow_exception(std::exchange(exception_, nullptr));
  }

 private:
  std::atomic<bool> taken_{false};
  std::exception_ptr exception_;
};

/// What the threads of a TaskGroup know of it.
struct GroupState {
  explicit GroupState(ThreadFront* thread) noexcept : owner(thread) {}

  ThreadFront* const owner;
  JoinCounter counter;
  std::atomic<bool> cancelled{false};
  FirstException exception;
};

}  // namespace kumiko::runtime::detail
