#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <kumiko/runtime/detail/spawn.hpp>
#include <kumiko/runtime/this_thread.hpp>

namespace kumiko::runtime {

/// A lightweight thread, with the manners of std::thread.
///
/// Many threads that are only waited for as a whole are cheaper in a TaskGroup.
class Thread {
 public:
  /// No thread.
  Thread() noexcept = default;

  /// Runs a decayed copy of `function` as a new lightweight thread, *child first*: the new thread
  /// runs at once on this worker, and the caller goes on when it ends or waits, or earlier on a
  /// worker that steals the caller's continuation.
  /// \throws std::logic_error outside a lightweight thread: use Runtime::run there.
  /// \throws std::length_error if the copy does not fit on a stack, std::system_error if no stack
  /// can be mapped, and what copying `function` throws.
  template <class Function>
  requires(!std::same_as<std::decay_t<Function>, Thread> &&
           std::invocable<std::decay_t<Function>>) explicit Thread(Function&& function) {
    const detail::Reservation made = detail::make_thread(std::forward<Function>(function), nullptr);
    state_ = made.join_state;
    detail::start_thread(made.thread, &detail::call_and_destroy<std::decay_t<Function>>);
  }

  Thread(Thread&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

  /// Calls std::terminate if this thread is joinable.
  Thread& operator=(Thread&& other) noexcept;

  /// Calls std::terminate if the thread is joinable.
  ~Thread();

  /// Waits until the thread has ended and rethrows the exception that escaped it, if any. Suspends
  /// a lightweight caller, blocks an OS thread. Not joinable afterwards, however it returns.
  /// \throws std::logic_error if not joinable, or if the thread would wait for itself.
  void join();

  /// Lets the thread end unobserved. An exception that escapes it, or that did so already, calls
  /// std::terminate.
  /// \throws std::logic_error if not joinable.
  void detach();

  bool joinable() const noexcept { return state_ != nullptr; }

  /// The thread's name; the default value if not joinable.
  ThreadId id() const noexcept;

  void swap(Thread& other) noexcept { std::swap(state_, other.state_); }

 private:
  detail::JoinState* state_ = nullptr;
};

}  // namespace kumiko::runtime
