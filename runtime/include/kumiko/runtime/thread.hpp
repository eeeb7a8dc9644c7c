// A lightweight thread with a handle to join, detach or stop it, like std::jthread.
#pragma once

#include <concepts>
#include <functional>
#include <stop_token>
#include <string_view>
#include <type_traits>
#include <utility>

#include <kumiko/runtime/detail/spawn.hpp>
#include <kumiko/runtime/source_location.hpp>
#include <kumiko/runtime/this_thread.hpp>

namespace kumiko::runtime {

namespace detail {

/// A function that a thread can run: callable without arguments or with a stop token.
template <class Function>
concept ThreadFunction = std::invocable<std::decay_t<Function>> ||
    std::invocable<std::decay_t<Function>, std::stop_token>;

}  // namespace detail

/// A lightweight thread that behaves like std::thread.
///
/// If threads are only waited for together, a TaskGroup is cheaper.
class Thread {
 public:
  /// A handle without a thread.
  Thread() noexcept = default;

  /// Runs a decayed copy of `function` as a new lightweight thread, *child first*: the new thread
  /// runs immediately on this worker. The caller continues when the new thread ends or waits, or
  /// earlier on a worker that steals the caller's continuation. A function that takes a
  /// std::stop_token gets the token of this handle's stop source.
  /// \param function what the thread runs.
  /// \param where named in reports as the place of the thread's creation.
  /// \throws std::logic_error outside a lightweight thread; use Runtime::run there.
  /// \throws std::length_error if the copy does not fit on a stack, std::system_error if no stack
  /// can be mapped or there is no memory, and what copying `function` throws.
  template <detail::ThreadFunction Function>
  requires(!std::same_as<std::decay_t<Function>, Thread>) explicit Thread(
      Function&& function, SourceLocation where = SourceLocation::current())
      : Thread(std::string_view(), std::forward<Function>(function), where) {}

  /// Makes a thread as the constructor above does, with a name for reports (see
  /// this_thread::set_name()).
  template <detail::ThreadFunction Function>
  Thread(std::string_view name, Function&& function,
         SourceLocation where = SourceLocation::current()) {
    run(name, nullptr, std::forward<Function>(function), where);
  }

  /// Makes a thread of an aggregation group (see Group). \throws also std::invalid_argument if that
  /// group belongs to another Runtime.
  template <detail::ThreadFunction Function>
  Thread(const Group& aggregation, Function&& function,
         SourceLocation where = SourceLocation::current()) {
    detail::check_group(aggregation);
    run(std::string_view(), &aggregation, std::forward<Function>(function), where);
  }

  /// Takes the thread over from the other handle, which has no thread afterwards.
  Thread(Thread&& other) noexcept
      : state_(std::exchange(other.state_, nullptr)),
        stop_source_(std::exchange(other.stop_source_, std::stop_source(std::nostopstate))) {}

  /// Takes the thread over from the other handle. Calls std::terminate if this one is joinable.
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

  /// Whether the handle has a thread that is neither joined nor detached.
  bool joinable() const noexcept { return state_ != nullptr; }

  /// The thread's name; the default value if not joinable.
  ThreadId id() const noexcept;

  /// Asks the thread to stop, through its stop token. Returns false if a stop was requested before,
  /// or if the thread has no stop token.
  bool request_stop() noexcept { return stop_source_.request_stop(); }

  /// The source of the thread's stop token; without a state if its function takes none.
  std::stop_source get_stop_source() const noexcept { return stop_source_; }
  /// The thread's stop token; without a state if its function takes none.
  std::stop_token get_stop_token() const noexcept { return stop_source_.get_token(); }

  /// Exchanges the two.
  void swap(Thread& other) noexcept {
    std::swap(state_, other.state_);
    stop_source_.swap(other.stop_source_);
  }

 private:
  template <class Function>
  void run(std::string_view name, const Group* aggregation, Function&& function,
           SourceLocation where) {
    if constexpr (std::invocable<std::decay_t<Function>>) {
      start(name, aggregation, std::forward<Function>(function), where);
    } else {
      stop_source_ = std::stop_source();
      start(
          name, aggregation,
          [token = stop_source_.get_token(),
           copy = std::decay_t<Function>(std::forward<Function>(function))]() mutable {
            std::invoke(std::move(copy), std::move(token));
          },
          where);
    }
  }

  template <class Function>
  void start(std::string_view name, const Group* aggregation, Function&& function,
             SourceLocation where) {
    const detail::Reservation made =
        detail::make_thread(std::forward<Function>(function), nullptr, where);
    if (!name.empty()) detail::set_name(*made.thread, name);
    if (aggregation != nullptr) detail::admit(*made.thread, *aggregation);
    state_ = made.join_state;
    detail::start_thread(made.thread, &detail::call_and_destroy<std::decay_t<Function>>);
  }

  detail::JoinState* state_ = nullptr;
  std::stop_source stop_source_{std::nostopstate};
};

}  // namespace kumiko::runtime
