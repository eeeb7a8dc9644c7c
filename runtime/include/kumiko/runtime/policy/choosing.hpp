// Which ready thread a worker runs next: the concept of a choice policy, and a type that holds any
// such policy.
#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <utility>

#include <kumiko/runtime/function_ref.hpp>

namespace kumiko::runtime::policy {

/// Where ready threads wait, as one worker sees it.
enum class Source {
  kDeque,          ///< its own deque: new threads and threads that were woken, the youngest first
  kEvents,         ///< its threads whose event (I/O) has arrived, the oldest first
  kQueue,          ///< its threads that yielded, or that were sent to it, the oldest first
  kOutside,        ///< threads from outside the workers, the oldest first
  kOthers,         ///< other workers: one round of the steal policy
  kOthersByForce,  ///< the same, including threads not made public: a system call per victim
};

/// The sources of its victim from which a thief takes the oldest thread, in this order.
inline constexpr std::array kForThieves{Source::kDeque, Source::kEvents, Source::kQueue};

/// Takes a thread from a source. Returns true if there was one; then the choice is made.
using Take = FunctionRef<bool(Source)>;

/// A *choice policy* decides from which source a worker's loop gets the next thread to run. It
/// tries sources in the order that it chooses, until one of them has a thread. It returns true if
/// it found a thread. Each worker has its own copy of the policy. The policy must not throw. The
/// loop calls the policy
///   - when a thread yields or is preempted at a poll,
///   - when a thread waits or ends and the worker's deque is empty,
///   - when a thread waits or ends while I/O is to be submitted or events have arrived, and
///   - at every 61st wait.
/// In all other cases the worker resumes the youngest thread of its deque without a call.
///
/// If the policy finds no thread, the runtime tries the sources that the policy left out, so no
/// thread is lost. But the policy must give every source its turn even while other sources always
/// have a thread. A computing thread that is preempted for events is put on the deque. A policy
/// that tries the deque first would resume that thread, and the events would have to wait.
template <class Policy>
concept Choosing = std::copyable<Policy> &&
    requires(Policy policy, bool outside_first, const Take& take) {
  /// \param outside_first true if threads from outside are to go first this time
  { policy.next(outside_first, take) } -> std::same_as<bool>;
};

/// A choice policy of any class, which is copied for each worker.
class AnyChoosing {
 public:
  /// One worker's own object: a copy of the policy. See Choosing.
  using Chooser = std::function<bool(bool outside_first, const Take& take)>;

  /// The runtime's own choice, EventsFirst.
  AnyChoosing() = default;

  /// Holds a copy of `policy`.
  template <class Policy>
  requires(!std::same_as<Policy, AnyChoosing> && Choosing<Policy>) AnyChoosing(Policy policy)
      : prototype_([policy = std::move(policy)](bool outside_first, const Take& take) mutable {
          return policy.next(outside_first, take);
        }) {}

  /// A copy for one worker; empty for the runtime's own choice. \throws std::bad_alloc
  Chooser make() const { return prototype_; }

 private:
  Chooser prototype_;
};

}  // namespace kumiko::runtime::policy
