// Which ready thread goes next: what a choice policy is, and any of them as a value.
#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <utility>

#include <kumiko/runtime/detail/function_ref.hpp>

namespace kumiko::runtime::policy {

/// Where ready threads wait, as one worker sees it.
enum class Source {
  kDeque,          ///< its own deque: new threads and those that were woken, the youngest first
  kEvents,         ///< its threads whose event has come (I/O), the oldest first
  kQueue,          ///< its threads that yielded, or that were sent to it, the oldest first
  kOutside,        ///< threads from outside the workers, the oldest first
  kOthers,         ///< other workers: one round of the steal policy
  kOthersByForce,  ///< the same, with what they have not made public: a system call per victim
};

/// What a thief takes of its victim: the oldest of its deque, else the oldest of these.
inline constexpr std::array kForThieves{Source::kDeque, Source::kEvents, Source::kQueue};

/// Takes a thread from a source. Returns true if there was one: the choice is made.
using Take = detail::FunctionRef<bool(Source)>;

/// A *choice policy* decides where a worker's loop looks for the next thread: it takes from some
/// sources in some order until one had a thread, and returns whether one had. Each worker has an
/// object of its own, a copy. It must not throw. The loop asks it when a thread yields or gives
/// way, when one waits or ends and the deque is empty, at every 61st wait all the same, and at a
/// wait while there are events; else the youngest of the deque goes on, without asking.
///
/// What the policy has not taken from the runtime takes from afterwards, so nothing is lost; but it
/// is the policy's duty that each source has its turn though others always have a thread. A thread
/// that computes is put on the deque when it gives way to events: a policy that looks at the deque
/// first continues it, and the events wait.
template <class Policy>
concept Choosing = std::copyable<Policy> &&
    requires(Policy policy, bool outside_first, const Take& take) {
  /// \param outside_first  somebody has asked that threads from outside go first this once
  { policy.next(outside_first, take) } -> std::same_as<bool>;
};

/// A choice policy of whatever class, to be copied for each worker.
class AnyChoosing {
 public:
  /// One worker's own object: a copy of the policy. See Choosing.
  using Chooser = std::function<bool(bool outside_first, const Take& take)>;

  /// The runtime's own choice, EventsFirst.
  AnyChoosing() = default;

  /// This one.
  template <class Policy>
  requires(!std::same_as<Policy, AnyChoosing> && Choosing<Policy>) AnyChoosing(Policy policy)
      : prototype_([policy = std::move(policy)](bool outside_first, const Take& take) mutable {
          return policy.next(outside_first, take);
        }) {}

  /// An object for one worker; an empty one for the runtime's own choice. \throws std::bad_alloc
  Chooser make() const { return prototype_; }

 private:
  Chooser prototype_;
};

}  // namespace kumiko::runtime::policy
