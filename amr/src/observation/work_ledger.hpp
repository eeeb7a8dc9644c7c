// The steppers' bookkeeping: counts and times what every worker does, and tells what it does now.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <kumiko/amr/activity.hpp>
#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/patch.hpp>
#include <kumiko/amr/statistics.hpp>
#include <kumiko/amr/trace.hpp>

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

/// A seqlock with one writer: what a worker does now, for others to read at any time.
///
/// The version is odd while the worker is at a piece and even while it is idle. Unlike in a common
/// seqlock, each change raises it once, for the two states have words of their own: place_, task_
/// and begun_ are written before the version becomes odd, idle_since_ before it becomes even. So
/// the words of one state change only while the version tells of the other.
///
/// A reader that finds the same version before and after the words of its state has read words that
/// belong together. They were complete before the version came (its release, and the acquire of the
/// reader's first look). And had the reader met a word of a later piece, its second look would find
/// a later version, since the version in between was raised before that word was written (the
/// word's release, and the reader's acquire of it). Cost of a piece: six plain stores on x86-64.
class CurrentPiece {
 public:
  /// Begins in the idle state, before anybody reads.
  void start_idle(std::uint64_t ticks) { idle_since_.store(ticks, std::memory_order_relaxed); }

  void begin(const PatchId& patch, PieceKind kind, int base_step, std::uint64_t ticks) {
    place_.store(pack(patch.i, patch.j), std::memory_order_release);
    task_.store(pack(base_step, patch.level * 4 + static_cast<int>(kind)),
                std::memory_order_release);
    begun_.store(ticks, std::memory_order_release);
    raise_version();
  }
  void end(std::uint64_t ticks) {
    idle_since_.store(ticks, std::memory_order_release);
    raise_version();
  }

  /// What the worker does; from any thread. \param now  in ticks, as `seconds_per_tick` counts them
  WorkerActivity read(std::uint64_t now, double seconds_per_tick) const;

 private:
  static std::uint64_t pack(int low, int high) {
    return static_cast<std::uint32_t>(low) |
           static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32U;
  }
  void raise_version() {
    version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::uint64_t> place_{0};
  std::atomic<std::uint64_t> task_{0};
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> idle_since_{0};
};

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
    CurrentPiece now;
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

  /// Begins a window of base steps first .. first + count - 1; by the driver, while nobody works.
  void begin_window(int first, int count);
  /// Ends the window; by the driver, when all work is done. \return point updates of the window
  std::uint64_t end_window();

  class ListWork;

  /// A piece of work of one worker on a patch, from construction to end(); it must not suspend, nor
  /// may another one on the patch run meanwhile.
  class Work {
   public:
    /// \param record  of a trace, or nullptr
    Work(WorkLedger& ledger, int worker, int base_step, PieceKind kind, Patch& patch,
         TracePiece* record)
        : own_(ledger.workers_[static_cast<std::size_t>(worker)]),
          of_patch_(patch.work),
          tally_(own_.steps[static_cast<std::size_t>(base_step - ledger.first_)]),
          record_(record),
          begin_(read_ticks()) {
      tally_.wait += elapsed(own_.idle_since, begin_);
      const std::uint64_t steals = ledger.backend_.steals(worker) - own_.steals;
      tally_.steals += steals;
      own_.steals += steals;
      own_.patch = patch.id();
      own_.now.begin(own_.patch, kind, base_step, begin_);
      if (of_patch_.base_step != base_step) of_patch_ = {base_step, -1, 0};
      of_patch_.worker = worker;
      if (record_ == nullptr) return;
      record_->worker = worker;
      record_->steals = static_cast<std::uint32_t>(steals);
      record_->runnable = ledger.backend_.ready(worker);
      record_->io_in_flight = ledger.backend_.io_in_flight();
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    void count_updates(std::uint64_t points) { tally_.updates += points; }

    /// Ends the piece; to be called once. \return when it ended, in ticks
    std::uint64_t end() {
      own_.idle_since = read_ticks();
      own_.now.end(own_.idle_since);
      // The OS thread may have gone to another core.
      const std::uint64_t ticks = elapsed(begin_, own_.idle_since);
      tally_.busy += ticks;
      of_patch_.ticks += ticks;
      if (record_ != nullptr) {
        record_->begin_ns = static_cast<std::int64_t>(begin_);  // ticks as yet
        record_->end_ns = static_cast<std::int64_t>(own_.idle_since);
      }
      return own_.idle_since;
    }

   private:
    friend class ListWork;

    Worker& own_;
    PatchWork& of_patch_;
    Tally& tally_;
    TracePiece* record_;
    std::uint64_t begin_;
  };

  /// A piece of work of one worker on several patches, which are charged with equal parts of it. It
  /// shows as a piece of the first one meanwhile.
  class ListWork {
   public:
    /// \param patches  one at least
    /// \param record   of the first one in a trace, or nullptr
    ListWork(WorkLedger& ledger, int worker, int base_step, PieceKind kind,
             std::span<Patch* const> patches, TracePiece* record)
        : work_(ledger, worker, base_step, kind, *patches.front(), record),
          worker_(worker),
          base_step_(base_step),
          patches_(patches) {}

    void count_updates(std::uint64_t points) { work_.count_updates(points); }

    /// Ends the piece; to be called once. \param record_of  a patch's in a trace by its place among
    /// the patches, or nullptr
    template <class RecordOf>
    void end(RecordOf record_of) {
      const std::uint64_t end = work_.end();
      const std::uint64_t begin = work_.begin_;
      const std::uint64_t part = elapsed(begin, end) / patches_.size();
      work_.of_patch_.ticks -= elapsed(begin, end);
      for (std::size_t at = 0; at < patches_.size(); ++at) {
        PatchWork& charged = patches_[at]->work;
        if (charged.base_step != base_step_) charged = {base_step_, -1, 0};
        charged.worker = worker_;
        charged.ticks += part;
        if (TracePiece* const record = record_of(at); record != nullptr) {
          record->worker = worker_;
          record->begin_ns = static_cast<std::int64_t>(begin + at * part);  // ticks as yet
          record->end_ns = static_cast<std::int64_t>(begin + (at + 1) * part);
        }
      }
    }

   private:
    Work work_;
    int worker_;
    int base_step_;
    std::span<Patch* const> patches_;
  };

  /// Counts the wait of a patch that a worker resumes after `ticks`.
  void note_wait(int worker, std::uint64_t ticks, const PatchWait& wait) {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    if (ticks > own.shortest_kept) keep(own, ticks, wait);
  }

  /// Counts the waits at the end of a phase of level-synchronous stepping: all workers have waited
  /// for the last one. By the driver.
  void note_phase(int base_step);

  void count_level(int level, std::uint64_t updates) {
    counters_.updates_per_level[static_cast<std::size_t>(level)] += updates;
  }
  void count_regrid() { ++counters_.regrids; }

  /// When the latest window began and ended, in ticks.
  std::uint64_t window_begin() const { return window_begin_; }
  std::uint64_t window_end() const { return window_end_; }

  /// Seconds of a tick, as measured since the beginning. From any thread.
  double measure_tick() const;

  /// What each worker is doing. From any thread, while others work.
  std::vector<WorkerActivity> activity() const;

  /// Converts ticks that were counted in the latest window.
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
  std::uint64_t window_begin_ = 0;
  std::uint64_t window_end_ = 0;
  const std::uint64_t begin_ticks_;
  const std::chrono::steady_clock::time_point begin_time_;
  double seconds_per_tick_ = 0.0;  ///< since the beginning, up to the latest window's end
  WorkCounters counters_;
  std::deque<BaseStepLoad> kept_;
};

}  // namespace kumiko::amr
