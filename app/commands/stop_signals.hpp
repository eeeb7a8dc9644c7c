// Turns Ctrl-C and SIGTERM into a request to stop.
#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace kumiko::app {

/// Waits for a Ctrl-C or SIGTERM to the process, and then requests a stop.
class StopSignals {
 public:
  /// Make it before other threads, which inherit the mask that blocks the signals.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  sigset_t signals_{};
  std::stop_source stop_;
  std::jthread waits_;
};

}  // namespace kumiko::app
