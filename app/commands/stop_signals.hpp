// Turns Ctrl-C and SIGTERM into a request to stop.
#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace kumiko::app {

/// Waits for Ctrl-C or SIGTERM in all of the process, and requests a stop then.
class StopSignals {
 public:
  /// Before other threads are made: those inherit that the signals wait.
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
