// A single-assignment variable that readers wait for, and the token that gives the right to assign
// it.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <variant>

#include <kumiko/runtime/detail/deadline.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/detail/waiter.hpp>

namespace kumiko::runtime {

template <std::movable T>
class Entry;

/// The right to assign an Entry: it may be moved to any thread and is used once. The entry must
/// outlive the token. If a token is destroyed unused, it assigns an exception, so that no reader
/// waits forever.
template <std::movable T>
class Token {
 public:
  /// A token without the right to assign anything.
  Token() noexcept = default;
  /// Takes the right over from `other`.
  Token(Token&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  /// Takes the right over from `other`. If this token had a right, it is used as by the destructor.
  Token& operator=(Token&& other) noexcept {
    Token(std::move(other)).swap(*this);
    return *this;
  }
  ~Token();  // NOLINT(bugprone-exception-escape): only a used token's send_exception() throws

  /// Assigns the entry and wakes all threads that wait for it. Does not suspend, unless moving a T
  /// does.
  /// \throws std::logic_error if the token was used or moved from. Also throws what moving a T
  /// throws; then the token can still be used.
  void send(T value) { assign<Entry<T>::kValue>(std::move(value)); }

  /// Assigns an exception, which is thrown to every reader of the entry.
  /// \throws std::logic_error if the token was used, or moved from.
  void send_exception(std::exception_ptr exception) {
    assign<Entry<T>::kException>(std::move(exception));
  }

  /// Whether the token has the right to assign an entry.
  explicit operator bool() const noexcept { return entry_ != nullptr; }

  /// Exchanges the two.
  void swap(Token& other) noexcept { std::swap(entry_, other.entry_); }

 private:
  friend class Entry<T>;

  explicit Token(Entry<T>& entry) noexcept : entry_(&entry) {}

  template <std::size_t Kind, class Content>
  void assign(Content&& content) {
    if (entry_ == nullptr) throw std::logic_error("Token: used already, or moved from");
    entry_->template put<Kind>(std::forward<Content>(content));
    // A thread that wakes now may destroy the token.
    std::exchange(entry_, nullptr)->open();
  }

  Entry<T>* entry_ = nullptr;
};

/// A cell that is assigned once, and whose readers wait until it has been: the synchronising
/// structure of the MPC++ runtime (Ishikawa et al., 1996), within one process. The entry stays with
/// its owner; the right to assign it is passed on as a Token.
///
/// For lightweight and OS threads alike. An entry may be destroyed as soon as full() has returned
/// true or all readers have returned, since the sender does not access it after that. Cost: two
/// atomic operations per call.
template <std::movable T>
class Entry {
 public:
  /// The right to assign this entry, of which there is one.
  /// \throws std::logic_error if token() was called before.
  Token<T> token() {
    if (std::exchange(token_given_, true))
      throw std::logic_error("Entry: its token was given before");
    return Token<T>(*this);
  }

  /// Whether it has been assigned. Does not suspend.
  bool full() const noexcept {
    const std::lock_guard guard(guard_);
    return full_;
  }

  /// Waits until it has been assigned. Suspends a lightweight caller, blocks an OS thread.
  void wait() const noexcept { wait_full(nullptr); }

  /// Waits as wait() does, but until `time` at most. Returns whether the entry has been assigned.
  template <class Clock, class Duration>
  bool wait_until(const std::chrono::time_point<Clock, Duration>& time) const {
    return detail::wait_by_clock(
        time, [this](detail::Deadline deadline) { return wait_full(&deadline); });
  }

  /// Waits as wait() does, but for `duration` at most. Returns whether the entry has been assigned.
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& duration) const {
    return wait_until(detail::deadline_after(duration));
  }

  /// The value, or the exception that was sent instead, rethrown. Waits as wait() does.
  const T& get() const {
    wait();
    rethrow_exception();
    return std::get<kValue>(content_);
  }

  /// Moves the value out, or rethrows the exception that was sent instead; for a single reader.
  /// Waits as wait() does.
  T take() {
    wait();
    rethrow_exception();
    return std::move(std::get<kValue>(content_));
  }

 private:
  friend class Token<T>;

  /// What content_ holds, by index, since T may be one of the other types.
  static constexpr std::size_t kValue = 1;
  static constexpr std::size_t kException = 2;

  bool wait_full(const detail::Deadline* deadline) const noexcept {
    guard_.lock();
    if (!full_) return waiters_.wait(guard_, {"an Entry", this}, deadline);
    guard_.unlock();
    return true;
  }

  void rethrow_exception() const {
    if (const auto* const exception = std::get_if<kException>(&content_)) {
      std::rethrow_exception(*exception);
    }
  }

  /// Stores the content without the guard, for T's move may be long, suspend, or throw. Only the
  /// token's owner can be here, and no thread reads the content before it is full.
  template <std::size_t Kind, class Content>
  void put(Content&& content) {
    content_.template emplace<Kind>(std::forward<Content>(content));
  }

  void open() noexcept {
    guard_.lock();
    full_ = true;
    waiters_.wake_all_and_unlock(guard_);
  }

  mutable detail::SpinLock guard_;
  mutable detail::WaitQueue waiters_;
  bool full_ = false;  ///< guarded; content_ does not change once it is set
  std::variant<std::monostate, T, std::exception_ptr> content_;
  bool token_given_ = false;
};

template <std::movable T>
Token<T>::~Token() {
  if (entry_ == nullptr) return;
  send_exception(std::make_exception_ptr(
      std::logic_error("Entry: its token was destroyed without sending a value")));
}

}  // namespace kumiko::runtime
