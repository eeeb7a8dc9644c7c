// Calls two functions, in parallel if a worker is idle and one after the other if none is.
#pragma once

#include <kumiko/runtime/detail/lazy.hpp>

namespace kumiko::runtime {

namespace detail {

template <class Second>
struct InvokeFrame : LazyFrame {
  InvokeFrame(ThreadFront& self, Second& function) noexcept
      : LazyFrame(self, &InvokeFrame::split_off), second(function) {}

  static bool split_off(LazyFrame& frame, bool give) noexcept {
    auto& self = static_cast<InvokeFrame&>(frame);
    if (self.given) return false;
    if (!give) return true;
    if (give_away(frame, [&second = self.second] { second(); })) return true;
    self.given.reset();
    return false;
  }

  Second& second;
};

}  // namespace detail

/// Calls first() and second(), possibly at the same time, and returns when both have returned.
///
/// No thread is created unless an idle worker asks for work (lazy splitting). Then a part of the
/// caller's outermost invoke() or parallel_for() in progress becomes a thread. Use it for recursive
/// divide and conquer without a threshold. An idle worker's request is answered at the next
/// invoke(), parallel_for() iteration or this_thread::poll() of a busy one. On a plain OS thread
/// the two are called one after the other.
///
/// An exception of either function is rethrown here when both have ended; if both throw, it is the
/// exception of first(). If first() throws, second() may not have been called. May suspend, once at
/// the end. Cost while no worker asks: about 1 ns. No allocation.
template <class First, class Second>
void invoke(First&& first, Second&& second) {
  const detail::WorkerFront* const worker = detail::worker_front();
  if (worker == nullptr) [[unlikely]] {
    first();
    second();
    return;
  }
  detail::ThreadFront& self = *worker->running;
  detail::InvokeFrame<std::remove_reference_t<Second>> frame(self, second);
  detail::poll(*worker);
  try {
    first();
  } catch (...) {
    detail::close(self, frame);
    throw;
  }
  detail::close(self, frame);
  if (frame.given) [[unlikely]] {
    frame.given->exception.rethrow();
  } else {
    second();
  }
}

}  // namespace kumiko::runtime
