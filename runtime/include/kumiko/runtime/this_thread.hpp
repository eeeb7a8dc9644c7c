// Functions about the calling thread: yield, poll, sleep, its name, its worker.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include <kumiko/runtime/detail/deadline.hpp>

namespace kumiko::runtime {

/// Names a lightweight thread; unique among those that run or have not been joined yet. The default
/// value names none.
class ThreadId {
 public:
  ThreadId() = default;
  /// Makes the id with the number that value() returned.
  explicit ThreadId(std::uintptr_t value) noexcept : value_(value) {}

  friend bool operator==(const ThreadId&, const ThreadId&) = default;
  friend auto operator<=>(const ThreadId&, const ThreadId&) = default;

  /// A number to print; 0 for the default value.
  std::uintptr_t value() const noexcept { return value_; }

  /// Prints value() as reports do, hexadecimal.
  template <class Character, class Traits>
  friend std::basic_ostream<Character, Traits>& operator<<(
      std::basic_ostream<Character, Traits>& out, ThreadId id) {
    return out << reinterpret_cast<const void*>(id.value_);
  }

 private:
  std::uintptr_t value_ = 0;
};

namespace detail {
void sleep_until(Deadline deadline) noexcept;
}

/// Functions about the calling thread. All may be called from any OS thread too.
namespace this_thread {

/// Lets every other runnable thread of this worker go first: puts the caller behind those that
/// yielded before it, where idle workers may take it as well. On an OS thread: sched_yield.
void yield() noexcept;

/// Lets the worker answer requests, such as that of an idle worker for a part of the caller's work
/// (see invoke()). Call it now and then in a long computation. Cost without a request: one load.
void poll() noexcept;

/// Like poll(), but also lets the worker poll for events and messages immediately. Threads whose
/// event has arrived run first, so the caller may be on another worker afterwards. Use it in a long
/// computation while other threads or ranks wait for an answer. Cost: a poll of every engine and
/// source, and two switches for a MessageSource. Does nothing on an OS thread, or if no thread
/// waits for events.
void poll_events() noexcept;

/// The running lightweight thread's name; the default value on a plain OS thread.
ThreadId id() noexcept;

/// Sets the running lightweight thread's name for reports. At most the first 23 bytes are kept,
/// without cutting a UTF-8 character in two. Ignored on a plain OS thread.
void set_name(std::string_view name) noexcept;

/// The running lightweight thread's name; empty without one, and on a plain OS thread.
std::string name();

/// Suspends a lightweight caller, blocks an OS thread, for `duration` or a little longer. Another
/// thread runs meanwhile.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& duration) {
  detail::sleep_until(detail::deadline_after(duration));
}

/// Suspends a lightweight caller, blocks an OS thread, until `time` or a little longer.
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& time) {
  detail::wait_by_clock(time, [](detail::Deadline deadline) {
    detail::sleep_until(deadline);
    return false;
  });
}

/// The index of the worker that runs the caller, 0 <= index < Runtime::workers(); -1 on a plain OS
/// thread. It may change at each call that suspends.
int worker_index() noexcept;

}  // namespace this_thread

}  // namespace kumiko::runtime

/// \cond doxygen does not find its scope
template <>
struct std::hash<kumiko::runtime::ThreadId> {
  std::size_t operator()(kumiko::runtime::ThreadId id) const noexcept {
    return std::hash<std::uintptr_t>()(id.value());
  }
};
/// \endcond
