// Shows how a run is getting on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include <kumiko/amr/simulation.hpp>

#include "terminal.hpp"

namespace kumiko::app {

/// Keeps SIGUSR2 from the calling thread and from those that it starts, so that it waits for a
/// Progress instead of ending the program or interrupting a worker. To be called while there are no
/// others.
void hold_status_signal();

/// Rewrites one line of stderr at most five times a second: name, bar, share done, time left, point
/// updates a second, load-balance efficiency so far, patches per level; as much of it, in this
/// order, as the terminal has room for. Silent when stderr is not a terminal.
///
/// Prints a status to stderr for each SIGUSR2 in any case: step, time and rate as of the last stop
/// of the loop, and of each worker what it does in this moment. A thread of its own waits for the
/// signal and reads what the workers publish anyway, so that the run does not stop for it.
class Progress {
 public:
  /// Shows the steps from where the simulation stands, which must outlive this. After
  /// hold_status_signal().
  Progress(bool quiet, std::string label, const amr::Simulation& simulation, int last_step);
  /// Removes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Not while the simulation advances.
  void show();

 private:
  using Clock = std::chrono::steady_clock;

  /// What only stands still while the simulation does not advance.
  struct Figures {
    explicit Figures(const amr::Simulation& simulation);
    int step;
    double time;
    std::uint64_t updates;
    double balance;  ///< 0: not known yet
    Clock::time_point when = Clock::now();
  };

  /// Point updates a second, so far.
  double rate() const;
  void answer();
  std::string status();

  const amr::Simulation& simulation_;
  Terminal terminal_ = Terminal::of_stderr();
  bool visible_;
  bool shown_ = false;
  std::string label_;
  int last_step_;
  const Figures first_;
  Clock::time_point next_ = first_.when;

  std::mutex mutex_;  ///< of what follows
  Figures latest_ = first_;

  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace kumiko::app
