// Lazy splitting: a loop or a pair of calls in progress becomes threads only when an idle worker
// asks.
#pragma once

#include <optional>

#include <kumiko/runtime/detail/current.hpp>
#include <kumiko/runtime/detail/group_state.hpp>
#include <kumiko/runtime/detail/spawn.hpp>

namespace kumiko::runtime::detail {

/// A parallel construct in progress that has created no thread so far, on the stack of the thread
/// that executes it. The frames of a thread are chained from the inner ones to the outer ones. When
/// an idle worker asks for work, the thread gives away a part of the outermost frame that has one:
/// the largest part there is. After Tascell's backtracking (Hiraishi et al., PPoPP 2009), but for
/// the undoing, and Lace's private tasks (van Dijk and van de Pol, Euro-Par 2014).
struct LazyFrame {
  /// Whether a part of the frame can be given away; does so if `give`, unless no thread can be
  /// made.
  using Split = bool (*)(LazyFrame& frame, bool give) noexcept;

  LazyFrame(ThreadFront& self, Split how) noexcept : outer(self.lazy_tip), split(how) {
    self.lazy_tip = this;
  }

  LazyFrame* const outer;
  const Split split;
  std::optional<GroupState> given;  ///< counts the threads that were made of this frame
};

/// Does what is asked for in the poll word of the worker that runs the caller.
void answer_requests() noexcept;

/// Lets the running worker answer requests. Cost if there is none: one load.
inline void poll(const WorkerFront& worker) noexcept {
  // relaxed: a hint. Even a stale worker's poll word would do.
  if (worker.requests.load(std::memory_order_relaxed) != 0) [[unlikely]]
    answer_requests();
}

/// Lets `thread`, new and to be counted by `group`, wait where thieves find it.
void offer_thread(Descriptor* thread, void (*call)(void*), GroupState& group) noexcept;

/// Gives `function` to a new thread that `group` counts. Returns false without memory for one.
template <class Function>
bool give_away(GroupState& group, Function function) noexcept {
  try {
    const Reservation made = make_thread(std::move(function), &group, SourceLocation::current());
    offer_thread(made.thread, &call_and_destroy<Function>, group);
    return true;
  } catch (...) {
    return false;
  }
}

/// Gives `function` to a new thread that `frame` waits for. Returns false without memory for one.
template <class Function>
bool give_away(LazyFrame& frame, Function function) noexcept {
  if (!frame.given) frame.given.emplace(running_thread());
  return give_away(*frame.given, std::move(function));
}

/// Ends a frame: removes it from its thread's chain. Then waits for what was given away.
inline void close(ThreadFront& self, LazyFrame& frame) noexcept {
  self.lazy_tip = frame.outer;
  if (frame.given) [[unlikely]]
    frame.given->counter.wait_for_all();
}

}  // namespace kumiko::runtime::detail
