// Future, SharedFuture, Promise and async(), like those of <future>, for lightweight threads.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include <kumiko/runtime/entry.hpp>
#include <kumiko/runtime/thread.hpp>

namespace kumiko::runtime {

using std::future_errc;
using std::future_error;
using std::future_status;

namespace detail {

/// What an Entry holds for a T: `void` becomes a unit, a reference something that can be assigned.
template <class T>
struct FutureContentOf : std::type_identity<T> {};
template <>
struct FutureContentOf<void> : std::type_identity<std::monostate> {};
template <class T>
struct FutureContentOf<T&> : std::type_identity<std::reference_wrapper<T>> {};

template <class T>
using FutureContent = typename FutureContentOf<T>::type;

template <class T>
using FutureEntry = Entry<FutureContent<T>>;

/// What Future and SharedFuture have in common: waiting.
template <class T>
class FutureBase {
 public:
  /// Whether the future refers to a result.
  bool valid() const noexcept { return entry_ != nullptr; }

  /// Waits for the result. Suspends a lightweight caller, blocks an OS thread.
  /// \throws std::future_error (no_state) if not valid; the other functions that wait do so too.
  void wait() const { entry().wait(); }

  template <class Rep, class Period>
  future_status wait_for(const std::chrono::duration<Rep, Period>& duration) const {
    return entry().wait_for(duration) ? future_status::ready : future_status::timeout;
  }

  template <class Clock, class Duration>
  future_status wait_until(const std::chrono::time_point<Clock, Duration>& time) const {
    return entry().wait_until(time) ? future_status::ready : future_status::timeout;
  }

 protected:
  FutureBase() noexcept = default;
  explicit FutureBase(std::shared_ptr<FutureEntry<T>> entry) noexcept : entry_(std::move(entry)) {}

  FutureEntry<T>& entry() const {
    if (entry_ == nullptr) throw future_error(future_errc::no_state);
    return *entry_;
  }

  std::shared_ptr<FutureEntry<T>> entry_;
};

}  // namespace detail

template <class T>
class Promise;
template <class T>
class SharedFuture;

/// The result of work that may still be in progress, for one reader, like std::future.
template <class T>
class Future : public detail::FutureBase<T> {
 public:
  Future() noexcept = default;
  /// \{
  /// Takes the result over from the other future, which is not valid afterwards.
  Future(Future&&) noexcept = default;
  Future& operator=(Future&&) noexcept = default;
  /// \}

  /// Waits for the result and moves it out, or rethrows the exception that was sent instead. The
  /// future is not valid afterwards.
  T get() {
    const Future self = std::move(*this);
    if constexpr (std::is_void_v<T>) {
      self.entry().get();
    } else {
      return self.entry().take();
    }
  }

  /// Moves the result to a SharedFuture, for many readers. This future is not valid afterwards.
  SharedFuture<T> share() noexcept { return SharedFuture<T>(std::move(this->entry_)); }

 private:
  friend class Promise<T>;
  using detail::FutureBase<T>::FutureBase;
};

/// The result of work that may still be in progress, for many readers, like std::shared_future.
template <class T>
class SharedFuture : public detail::FutureBase<T> {
 public:
  SharedFuture() noexcept = default;

  /// Waits for the result, or rethrows the exception that was sent instead. The result lives as
  /// long as a SharedFuture refers to it.
  std::add_lvalue_reference_t<const T> get() const {
    if constexpr (std::is_void_v<T>) {
      this->entry().get();
    } else {
      return this->entry().get();
    }
  }

 private:
  friend class Future<T>;
  using detail::FutureBase<T>::FutureBase;
};

/// The right to deliver a result to a Future, like std::promise. A promise that is destroyed before
/// it has delivered a result delivers a std::future_error (broken_promise). Cost: one allocation.
template <class T>
class Promise {
 public:
  Promise() : entry_(std::make_shared<detail::FutureEntry<T>>()), token_(entry_->token()) {}
  /// Takes the right over from the other promise.
  Promise(Promise&&) noexcept = default;
  /// Takes the right over from the other promise. If this promise had an unused right, that one
  /// delivers broken_promise.
  Promise& operator=(Promise&& other) noexcept {
    Promise(std::move(other)).swap(*this);
    return *this;
  }
  ~Promise() {  // NOLINT(bugprone-exception-escape): only a used token's send_exception() throws
    if (!token_) return;
    token_.send_exception(std::make_exception_ptr(future_error(future_errc::broken_promise)));
  }

  /// The future that gets the result. \throws std::future_error (future_already_retrieved,
  /// no_state)
  Future<T> get_future() {
    if (entry_ == nullptr) throw future_error(future_errc::no_state);
    if (std::exchange(retrieved_, true)) {
      throw future_error(future_errc::future_already_retrieved);
    }
    return Future<T>(entry_);
  }

  /// \{
  /// Delivers the result. Does not suspend.
  /// \throws std::future_error (promise_already_satisfied, no_state)
  void set_value(detail::FutureContent<T> value) requires(!std::is_void_v<T>) {
    unused_token().send(std::move(value));
  }
  void set_value() requires(std::is_void_v<T>) { unused_token().send({}); }
  /// \}

  /// Delivers an exception. \throws as set_value()
  void set_exception(std::exception_ptr exception) {
    unused_token().send_exception(std::move(exception));
  }

  /// Exchanges the two.
  void swap(Promise& other) noexcept {
    std::swap(entry_, other.entry_);
    token_.swap(other.token_);
    std::swap(retrieved_, other.retrieved_);
  }

 private:
  Token<detail::FutureContent<T>>& unused_token() {
    if (entry_ == nullptr) throw future_error(future_errc::no_state);
    if (!token_) throw future_error(future_errc::promise_already_satisfied);
    return token_;
  }

  std::shared_ptr<detail::FutureEntry<T>> entry_;
  Token<detail::FutureContent<T>> token_;
  bool retrieved_ = false;
};

/// Runs `function` in a new lightweight thread, child first (see Thread), and returns the future of
/// its result or exception. \throws what Thread's constructor throws, and std::bad_alloc.
template <class Function>
[[nodiscard]] auto async(Function&& function, SourceLocation where = SourceLocation::current()) {
  using Result = std::invoke_result_t<std::decay_t<Function>>;
  Promise<Result> promise;
  Future<Result> future = promise.get_future();
  Thread(
      [promise = std::move(promise), function = std::forward<Function>(function)]() mutable {
        try {
          if constexpr (std::is_void_v<Result>) {
            std::invoke(std::move(function));
            promise.set_value();
          } else {
            promise.set_value(std::invoke(std::move(function)));
          }
        } catch (...) {
          promise.set_exception(std::current_exception());
        }
      },
      where)
      .detach();
  return future;
}

}  // namespace kumiko::runtime
