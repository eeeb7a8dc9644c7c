// Limits of an I/O call: a deadline and a stop request.
#pragma once

#include <chrono>
#include <stop_token>
#include <utility>

#include <kumiko/runtime/detail/deadline.hpp>

namespace kumiko::runtime::io {

/// When a call gives up: at a deadline, with std::errc::timed_out, or on a stop request, with
/// std::errc::operation_canceled. By default it never gives up.
///
/// A call that can do its work immediately does it even if its deadline has passed. Bytes that the
/// system has transferred when a limit is reached are reported, never dropped.
struct Limits {
  /// The time at which the call gives up at the latest.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  /// The call gives up when a stop is requested here.
  std::stop_token stop;
};

/// Limits of a call that gives up `duration` from now at the latest.
template <class Rep, class Period>
Limits within(const std::chrono::duration<Rep, Period>& duration, std::stop_token stop = {}) {
  return {runtime::detail::deadline_after(duration), std::move(stop)};
}

/// Limits of a call that gives up at `time` at the latest.
inline Limits until(std::chrono::steady_clock::time_point time, std::stop_token stop = {}) {
  return {time, std::move(stop)};
}

/// Limits of a call that gives up when a stop is requested.
inline Limits unless(std::stop_token stop) {
  return {std::chrono::steady_clock::time_point::max(), std::move(stop)};
}

}  // namespace kumiko::runtime::io
