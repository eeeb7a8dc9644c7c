// Parallel loops that are split only while a worker is idle, so that they need no threshold.
#pragma once

#include <concepts>
#include <type_traits>

#include <kumiko/runtime/detail/lazy.hpp>
#include <kumiko/runtime/policy/halving.hpp>

namespace kumiko::runtime {

template <std::integral Index, class Body>
void parallel_for(Index first, Index last, Body&& body);

namespace detail {

template <class Index, class Body>
struct LoopFrame : LazyFrame {
  LoopFrame(ThreadFront& self, Index first, Index last, Body& function) noexcept
      : LazyFrame(self, &LoopFrame::split_off), next(first), end(last), body(function) {}

  /// Gives away the upper half, rounded up, of the indices that have not begun.
  static bool split_off(LazyFrame& frame, bool give) noexcept {
    auto& self = static_cast<LoopFrame&>(frame);
    if (self.next >= self.end) return false;
    if (!give) return true;
    const auto middle = policy::halving_point(self.next, self.end);
    if (!give_away(frame, [middle, end = self.end, &body = self.body] {
          parallel_for(middle, end, body);
        })) {
      return false;
    }
    self.end = middle;
    return true;
  }

  Index next;
  Index end;
  Body& body;
};

}  // namespace detail

/// Calls body(i) for every i in [first, last), in ascending order within each part, and returns
/// when all calls have returned. `body` is shared, so its call operator must allow concurrent
/// calls.
///
/// No thread is created unless an idle worker asks for work. Then half of the remaining part of the
/// caller's outermost parallel_for() or invoke() becomes a thread (see invoke()). Iterations of one
/// part run in one thread, so do not let them wait for each other; for_each_index() gives every
/// index a thread of its own. On a plain OS thread this is a plain loop.
///
/// If a body throws, its exception is rethrown here when all threads have ended; if several throw,
/// one of the exceptions is. Iterations that had not begun by then may be skipped. May suspend,
/// once at the end. Cost per iteration while no worker asks: about 1 ns. No allocation.
template <std::integral Index, class Body>
void parallel_for(Index first, Index last, Body&& body) {
  if (first >= last) return;
  if (detail::worker_front() == nullptr) [[unlikely]] {
    for (Index i = first; i < last; ++i) body(i);
    return;
  }
  detail::ThreadFront& self = *detail::running_thread();
  detail::LoopFrame<Index, std::remove_reference_t<Body>> frame(self, first, last, body);
  try {
    while (frame.next < frame.end) {
      const Index i = frame.next++;
      detail::poll(*detail::worker_front());
      body(i);
    }
  } catch (...) {
    detail::close(self, frame);
    throw;
  }
  detail::close(self, frame);
  if (frame.given) [[unlikely]]
    frame.given->exception.rethrow();
}

/// Calls body(begin, end) for consecutive ranges that make up [first, last), of `grain` indices
/// each but the last one: parallel_for() for bodies whose own inner loop should be vectorised.
/// Choose `grain` such that a call takes a microsecond or more; its cost is that of one iteration.
/// `grain` is positive, and last - first a value of Index.
template <std::integral Index, class Body>
void parallel_for_ranges(Index first, Index last, std::type_identity_t<Index> grain, Body&& body) {
  if (first >= last) return;
  const auto ranges = static_cast<Index>((last - first - 1) / grain + 1);
  parallel_for(Index{0}, ranges, [first, last, grain, &body](Index range) {
    const auto begin = static_cast<Index>(first + range * grain);
    body(begin, last - begin < grain ? last : static_cast<Index>(begin + grain));
  });
}

}  // namespace kumiko::runtime
