// Waits for what another rank does, until a limit.
#pragma once

#include <chrono>
#include <exception>
#include <stop_token>
#include <system_error>

#include <kumiko/runtime/io/limits.hpp>

namespace kumiko::cluster::detail {

/// Pauses between two looks at a state whose changes are not announced: the first and the later
/// ones.
inline constexpr std::chrono::microseconds kFirstPause{20};
inline constexpr std::chrono::microseconds kLaterPause{1000};

/// The exception of a call when a limit has been reached.
inline std::system_error limit_error(const runtime::io::Limits& limits) {
  if (limits.stop.stop_requested()) {
    return {std::make_error_code(std::errc::operation_canceled),
            "a call to another rank was given up"};
  }
  return {std::make_error_code(std::errc::timed_out), "a call to another rank has taken too long"};
}

/// Waits until waiting.entry is assigned. At a limit, the thread that takes `waiting` back from the
/// threads that would assign it (take_back()) assigns the error of the limit (fail()).
template <class Waiting>
void wait_within(Waiting& waiting, const runtime::io::Limits& limits) {
  const auto give_up = [&] {
    if (waiting.take_back()) waiting.fail(std::make_exception_ptr(limit_error(limits)));
  };
  const std::stop_callback on_stop(limits.stop, give_up);
  if (limits.deadline != std::chrono::steady_clock::time_point::max() &&
      !waiting.entry.wait_until(limits.deadline)) {
    give_up();
  }
  waiting.entry.wait();
}

}  // namespace kumiko::cluster::detail
