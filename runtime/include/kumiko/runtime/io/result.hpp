// What an I/O call returns: a value or an error code, as std::expected holds them.
#pragma once

#include <cstddef>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

namespace kumiko::runtime::io {

/// A value, or the reason why there is none: what std::expected<T, std::error_code> is from C++23
/// on. Codes that the system gives are of std::generic_category(), so they compare with std::errc.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;  ///< as std::expected names it

  /// Success.
  Result(T value) noexcept(std::is_nothrow_move_constructible_v<T>)  // NOLINT: as std::expected
      : value_(std::move(value)) {}
  /// Failure.
  Result(std::error_code error) noexcept : error_(error) {}  // NOLINT: as std::expected

  /// Whether it succeeded.
  bool has_value() const noexcept { return value_.has_value(); }
  /// Whether it succeeded.
  explicit operator bool() const noexcept { return has_value(); }

  /// The value. \throws std::system_error with the reason if there is none.
  T& value() & {
    require();
    return *value_;
  }
  /// The same.
  const T& value() const& {
    require();
    return *value_;
  }
  /// The same, moved out.
  T value() && {
    require();
    return std::move(*value_);
  }
  /// The value, or `other`.
  template <class U>
  T value_or(U&& other) const& {
    return value_ ? *value_ : static_cast<T>(std::forward<U>(other));
  }

  /// The value, which must be there.
  T& operator*() & noexcept { return *value_; }
  /// The same.
  const T& operator*() const& noexcept { return *value_; }
  /// The same.
  T&& operator*() && noexcept { return std::move(*value_); }
  /// Of the value, which must be there.
  T* operator->() noexcept { return &*value_; }
  /// The same.
  const T* operator->() const noexcept { return &*value_; }

  /// Why there is no value; 0 if there is one.
  std::error_code error() const noexcept { return error_; }

 private:
  void require() const {
    if (!value_) throw std::system_error(error_);
  }

  std::optional<T> value_;
  std::error_code error_;
};

/// Success, or the reason of failure.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;  ///< as std::expected names it

  /// Success.
  Result() = default;
  /// Failure.
  Result(std::error_code error) noexcept : error_(error) {}  // NOLINT: as std::expected

  /// Whether it succeeded.
  bool has_value() const noexcept { return !error_; }
  /// Whether it succeeded.
  explicit operator bool() const noexcept { return has_value(); }

  /// \throws std::system_error with the reason of a failure.
  void value() const {
    if (error_) throw std::system_error(error_);
  }
  /// Why it failed; 0 if it did not.
  std::error_code error() const noexcept { return error_; }

 private:
  std::error_code error_;
};

/// What became of a transfer that goes on until all is done: how much was, and what ended it early.
struct [[nodiscard]] Transfer {
  std::size_t bytes = 0;  ///< transferred, also where there is an error
  std::error_code error;  ///< 0 if all was transferred, or the input ended

  /// Whether it succeeded.
  explicit operator bool() const noexcept { return !error; }
};

}  // namespace kumiko::runtime::io
