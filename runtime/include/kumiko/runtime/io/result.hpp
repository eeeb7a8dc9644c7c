// The result of an I/O call: a value or an error code, like std::expected.
#pragma once

#include <cstddef>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

namespace kumiko::runtime::io {

/// A value or an error code, like std::expected<T, std::error_code> of C++23. Error codes of the
/// system are of std::generic_category(), so they can be compared with std::errc.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;  ///< as std::expected names it

  /// A result that succeeded with `value`.
  Result(T value) noexcept(std::is_nothrow_move_constructible_v<T>)  // NOLINT: as std::expected
      : value_(std::move(value)) {}
  /// A result that failed with `error`.
  Result(std::error_code error) noexcept : error_(error) {}  // NOLINT: as std::expected

  /// \{
  /// Whether the call succeeded.
  bool has_value() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }
  /// \}

  /// \{
  /// The value; from an rvalue it is moved out. \throws std::system_error with the reason if the
  /// call failed.
  T& value() & {
    require();
    return *value_;
  }
  const T& value() const& {
    require();
    return *value_;
  }
  T value() && {
    require();
    return std::move(*value_);
  }
  /// \}
  /// The value, or `other` if the call failed.
  template <class U>
  T value_or(U&& other) const& {
    return value_ ? *value_ : static_cast<T>(std::forward<U>(other));
  }

  /// \{
  /// The value. The call must have succeeded.
  T& operator*() & noexcept { return *value_; }
  const T& operator*() const& noexcept { return *value_; }
  T&& operator*() && noexcept { return std::move(*value_); }
  T* operator->() noexcept { return &*value_; }
  const T* operator->() const noexcept { return &*value_; }
  /// \}

  /// The error code of a failed call; 0 if it succeeded.
  std::error_code error() const noexcept { return error_; }

 private:
  void require() const {
    if (!value_) throw std::system_error(error_);
  }

  std::optional<T> value_;
  std::error_code error_;
};

/// Success or an error code.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;  ///< as std::expected names it

  /// A result that succeeded.
  Result() = default;
  /// A result that failed with `error`.
  Result(std::error_code error) noexcept : error_(error) {}  // NOLINT: as std::expected

  /// \{
  /// Whether the call succeeded.
  bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return has_value(); }
  /// \}

  /// Does nothing if the call succeeded. \throws std::system_error with the reason if it failed.
  void value() const {
    if (error_) throw std::system_error(error_);
  }
  /// The error code of a failed call; 0 if it succeeded.
  std::error_code error() const noexcept { return error_; }

 private:
  std::error_code error_;
};

/// The outcome of a transfer that continues until all bytes are transferred: the number of bytes,
/// and the error that ended it early, if any.
struct [[nodiscard]] Transfer {
  std::size_t bytes = 0;  ///< bytes transferred, also after an error
  std::error_code error;  ///< 0 if all was transferred

  /// Whether all was transferred.
  explicit operator bool() const noexcept { return !error; }
};

/// Reasons for a transfer to end early although no system call has failed.
enum class TransferError {
  kEndOfInput = 1,  ///< the input ended before all bytes were read
};
/// The error code, of a category for TransferError.
std::error_code make_error_code(TransferError error) noexcept;

}  // namespace kumiko::runtime::io

namespace std {
template <>
struct is_error_code_enum<kumiko::runtime::io::TransferError> : true_type {};
}  // namespace std
