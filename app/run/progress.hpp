// Shows how a run is getting on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <kumiko/amr/simulation.hpp>

#include "terminal/terminal.hpp"

namespace kumiko::app {

class Ranks;
struct Setup;

/// Keeps SIGUSR2 from the calling thread and from those that it starts, so that it waits for a
/// Progress instead of ending the program or interrupting a worker. To be called while there are no
/// others.
void hold_status_signal();

/// Calls a function for each SIGUSR2, in a thread of its own. After hold_status_signal().
class StatusSignal {
 public:
  using Asked = std::function<void(bool is_handed_on)>;
  explicit StatusSignal(Asked asked);
  ~StatusSignal();
  StatusSignal(const StatusSignal&) = delete;
  StatusSignal& operator=(const StatusSignal&) = delete;

 private:
  void wait();

  Asked asked_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

/// Answers SIGUSR2 before there is a Progress: how long the work under way has lasted. After
/// hold_status_signal().
class EarlyStatus {
 public:
  explicit EarlyStatus(std::string work);

 private:
  std::string work_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  StatusSignal signal_;
};

/// Prints a status of this process, because another one got SIGUSR2. From any thread.
void hand_on_status_signal() noexcept;

/// On a terminal, erases the line of a Progress, which comes again below what is printed then.
void erase_progress();

/// Rewrites one line of stderr at most five times a second: name, bar, share done, time left, point
/// updates a second, imbalance so far, how busy the least and the most busy of
/// several ranks were, patches per level; as much of it, in this order, as the terminal has room
/// for. Silent when stderr is not a terminal.
///
/// Prints a status to stderr for each SIGUSR2 in any case: step, time and rate as of the last stop
/// of the loop, and of each worker what it does in this moment. A thread of its own waits for the
/// signal and reads what the workers publish anyway, so that the run does not stop for it. Of
/// several ranks each is asked, and one that does not answer within a second is said not to. A
/// launcher gives a signal to all ranks: one that is handed on within a second of a status is for
/// that one.
class Progress {
 public:
  /// Shows the steps from where the simulation stands, which must outlive this. After
  /// hold_status_signal().
  /// \param ranks  that share it; nullptr for one rank
  Progress(bool quiet, std::string label, const Setup& setup, const amr::Simulation& simulation,
           Ranks* ranks = nullptr);
  /// Removes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Not while the simulation advances.
  void show();

 private:
  using Clock = std::chrono::steady_clock;

  /// Values that may only be read while the simulation does not advance.
  struct Figures {
    explicit Figures(const amr::Simulation& simulation);
    int step;
    double time;
    std::uint64_t updates;
    double cfl;                          ///< the largest number so far
    double imbalance;                    ///< 0: not known yet
    std::vector<amr::WorkerLoad> ranks;  ///< where there are several
    Clock::time_point when = Clock::now();
  };

  /// Point updates a second, so far.
  double rate() const;
  /// The part of the run that is done.
  double share_of(const Figures& figures) const;
  /// "5 of 100", or "5" if the number of steps is not known.
  std::string step_text(std::string_view between) const;
  /// The busy time of each rank so far, in percent; empty with one rank, or before the first step.
  std::vector<double> busy() const;
  void answer(bool is_handed_on);
  std::string status();
  std::string status_of_ranks();

  const amr::Simulation& simulation_;
  Ranks* ranks_;
  Terminal terminal_ = Terminal::of_stderr();
  bool visible_;
  bool shown_ = false;
  std::string label_;
  int last_step_;    ///< Setup::kNoStep where the end's time is what ends the run
  double end_time_;  ///< of the case
  const Figures first_;
  Clock::time_point next_ = first_.when;

  std::mutex mutex_;  ///< guards the next member
  Figures latest_ = first_;

  Clock::time_point answered_ = {};  ///< the signal's thread alone looks at it
  StatusSignal signal_;
};

}  // namespace kumiko::app
