// Who did how much when: the bookkeeping of the steppers.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/patch.hpp>
#include <kumiko/amr/statistics.hpp>

namespace kumiko::amr {

/// The processor's time stamp counter: some nanoseconds to read, of a frequency of its own.
inline std::uint64_t read_ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Ticks from one reading to a later one. Readings of different cores may be a little apart.
inline std::uint64_t elapsed(std::uint64_t from, std::uint64_t to) {
  return to > from ? to - from : 0;
}

/// Counts for a window of base steps, closed by the driver. Workers write to lines of their own and
/// of the patch they work on, so that nothing is shared meanwhile. Cost of a piece of work: two
/// readings of the time stamp counter and a handful of additions.
class WorkLedger {
  static constexpr std::size_t kKeptSteps = 4096;

  struct Tally {
    std::uint64_t updates = 0;
    std::uint64_t busy = 0;
    std::uint64_t wait = 0;
    std::uint64_t steals = 0;
  };
  struct KeptWait {
    std::uint64_t ticks = 0;
    PatchWait wait;
  };
  struct alignas(64) Worker {
    std::uint64_t idle_since = 0;
    /// A wait must be longer to be among those kept.
    std::uint64_t shortest_kept = 0;
    std::uint64_t steals = 0;  ///< that are counted already
    PatchId patch;             ///< worked on last
    std::vector<Tally> steps;
    std::array<KeptWait, WorkCounters::kLongestWaits> waits;
  };

 public:
  WorkLedger(const Backend& backend, int levels);

  /// Goes on with the counts of a saved run. Before the first window.
  void resume(const WorkCounters& counters);

  /// Driver, while nobody works: base steps first .. first + count - 1 follow.
  void begin_window(int first, int count);
  /// Driver, when all work is done. @return point updates of the window
  std::uint64_t end_window();

  /// A piece of work of one worker on a patch, from construction to destruction; it must not
  /// suspend, nor may another one on the patch run meanwhile.
  class Work {
   public:
    Work(WorkLedger& ledger, int worker, int base_step, Patch& patch)
        : own_(ledger.workers_[static_cast<std::size_t>(worker)]),
          of_patch_(patch.work),
          tally_(own_.steps[static_cast<std::size_t>(base_step - ledger.first_)]),
          begin_(read_ticks()) {
      tally_.wait += elapsed(own_.idle_since, begin_);
      const std::uint64_t steals = ledger.backend_.steals(worker);
      tally_.steals += steals - own_.steals;
      own_.steals = steals;
      own_.patch = patch.id();
      if (of_patch_.base_step != base_step) of_patch_ = {base_step, -1, 0};
      of_patch_.worker = worker;
    }
    ~Work() {
      if (!ended_) end();
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    void count_updates(std::uint64_t points) { tally_.updates += points; }

    /// Ends it before its destruction. @return when, in ticks
    std::uint64_t end() {
      ended_ = true;
      own_.idle_since = read_ticks();
      tally_.busy += own_.idle_since - begin_;
      of_patch_.ticks += own_.idle_since - begin_;
      return own_.idle_since;
    }

   private:
    Worker& own_;
    PatchWork& of_patch_;
    Tally& tally_;
    std::uint64_t begin_;
    bool ended_ = false;
  };

  /// A worker resumes a patch that has waited for `ticks`.
  void note_wait(int worker, std::uint64_t ticks, const PatchWait& wait) {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    if (ticks > own.shortest_kept) keep(own, ticks, wait);
  }

  /// Driver, when a phase of level-synchronous stepping is done: all have waited for the worker who
  /// was last.
  void note_phase(int base_step);

  void count_level(int level, std::uint64_t updates) {
    counters_.updates_per_level[static_cast<std::size_t>(level)] += updates;
  }
  void count_regrid() { ++counters_.regrids; }

  /// Of what was counted in the latest window.
  double seconds(std::uint64_t ticks) const {
    return static_cast<double>(ticks) * seconds_per_tick_;
  }

  const WorkCounters& counters() const { return counters_; }
  /// The latest base steps, oldest first; kKeptSteps at most.
  const std::deque<BaseStepLoad>& steps() const { return kept_; }

 private:
  static void keep(Worker& own, std::uint64_t ticks, const PatchWait& wait);
  void gather_waits();
  std::uint64_t close_step(std::size_t step);

  const Backend& backend_;
  std::vector<Worker> workers_;
  int first_ = 0;
  std::uint64_t phase_end_ = 0;  ///< when the latest phase ended
  std::uint64_t begin_ticks_;
  std::chrono::steady_clock::time_point begin_time_;
  double seconds_per_tick_ = 0.0;  ///< since the beginning, up to the latest window's end
  WorkCounters counters_;
  std::deque<BaseStepLoad> kept_;
};

}  // namespace kumiko::amr
