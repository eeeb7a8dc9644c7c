#pragma once

#include <compare>
#include <cstdint>

namespace kumiko::runtime {

/// Names a lightweight thread; unique among those that run or have not been joined yet. The default
/// value names none.
class ThreadId {
 public:
  ThreadId() = default;
  explicit ThreadId(std::uintptr_t value) noexcept : value_(value) {}

  friend bool operator==(const ThreadId&, const ThreadId&) = default;
  friend auto operator<=>(const ThreadId&, const ThreadId&) = default;

  /// A number to print; 0 for the default value.
  std::uintptr_t value() const noexcept { return value_; }

 private:
  std::uintptr_t value_ = 0;
};

/// About the caller. All may be called from any OS thread too.
namespace this_thread {

/// Lets every other runnable thread of this worker go first: puts the caller behind those that
/// yielded before it, where idle workers may take it as well. On an OS thread: sched_yield.
void yield() noexcept;

/// Lets the worker do what others ask for (idle workers for a part of the caller's work, see
/// invoke()). Call it now and then in a long computation. Cost if nothing is asked: one load.
void poll() noexcept;

/// The running lightweight thread's name; the default value on a plain OS thread.
ThreadId id() noexcept;

/// The index of the worker that runs the caller, 0 <= index < Runtime::workers(); -1 on a plain OS
/// thread. May be another one after anything that suspends.
int worker_index() noexcept;

}  // namespace this_thread

}  // namespace kumiko::runtime
