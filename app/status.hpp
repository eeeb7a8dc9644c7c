// Tells what a run is doing to whoever asks by SIGUSR2.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include <kumiko/amr/simulation.hpp>

namespace kumiko::app {

/// Keeps SIGUSR2 from the calling thread and from those that it starts, so that it waits for a
/// Status instead of ending the program or interrupting a worker. To be called while there are no
/// others.
void hold_status_signal();

/// While it lives, prints a status to stderr for each SIGUSR2: step, time and rate as of the last
/// stop of the loop, and of each worker what it does in this moment. A thread of its own waits for
/// the signal and reads what the workers publish anyway, so that the run does not stop for it.
class Status {
 public:
  /// After hold_status_signal(). The simulation must outlive this.
  Status(std::string label, const amr::Simulation& simulation, int last_step);
  ~Status();
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;

  /// Takes the figures that only stand still while the simulation does not advance.
  void note(const amr::Simulation& simulation);

 private:
  using Clock = std::chrono::steady_clock;

  void answer();
  std::string text();

  std::string label_;
  const amr::Simulation& simulation_;
  int last_step_;
  int first_step_;
  std::uint64_t updates_before_;
  Clock::time_point start_ = Clock::now();

  std::mutex mutex_;  ///< of what follows
  int step_;
  double time_;
  std::uint64_t updates_;
  double balance_ = 0.0;  ///< 0: not known yet
  Clock::time_point noted_ = start_;

  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace kumiko::app
