#include "commands/stop_signals.hpp"

namespace kumiko::app {

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  // Threads that are made from now on inherit it.
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  waits_ = std::jthread([this](const std::stop_token& ended) {
    while (!ended.stop_requested()) {
      if (sigwaitinfo(&signals_, nullptr) > 0 && !ended.stop_requested()) stop_.request_stop();
    }
  });
}

StopSignals::~StopSignals() {
  waits_.request_stop();
  pthread_kill(waits_.native_handle(), SIGINT);
}

}  // namespace kumiko::app
