// The steppers' bookkeeping: told of every piece of work once, it keeps the counts, the trace and
// what each worker does now.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <kumiko/amr/activity.hpp>
#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/balance.hpp>
#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/statistics.hpp>

#include "data/patch_table.hpp"
#include "observation/current_piece.hpp"
#include "observation/patch_note.hpp"
#include "observation/ticks.hpp"
#include "observation/trace_recorder.hpp"

namespace kumiko::amr {

/// The schedule tells it that a piece begins and ends (Work), that a patch waited and that a phase
/// is over; the driver, that a window begins and ends. Workers write to lines of their own and of
/// the patch they work on, so that nothing is shared meanwhile. Cost of a piece of work: two
/// readings of the time stamp counter and a handful of additions.
///
/// Counts are of the workers of all ranks, who are numbered through, rank by rank; all ranks
/// make one.
class Observer {
  static constexpr std::size_t kKeptSteps = 4096;

  struct Tally {
    std::uint64_t updates = 0;
    std::uint64_t busy = 0;
    std::uint64_t wait = 0;
    std::uint64_t steals = 0;
    double cfl = 0.0;  ///< the largest
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
  /// The work on a patch in the latest base step that had any. A cache line of its own, since
  /// others work on the neighbours.
  struct alignas(64) PatchWork {
    int base_step = -1;
    int worker = -1;  ///< who worked on it last
    std::uint64_t ticks = 0;
    std::uint64_t all_ticks = 0;  ///< since take_costs()
  };

  /// \param by_level  whether windows are taken level by level
  Observer(const Backend& backend, int levels, bool by_level, Communicator& communicator);

  /// Goes on with the counts of a saved run. Before the first window.
  void resume(const WorkCounters& counters);

  /// Begins a window on the mesh as it is; by the driver, while nobody works. Patches that have
  /// stayed since the last one keep their PatchWork.
  void begin_window(const Window& window, Hierarchy& hierarchy, const StepRules& rules);
  /// Adds what all ranks are to know of a window to what they exchange; by all ranks' drivers,
  /// when all work is done. Then one of the next two ends it.
  void report_window(Gathering& all);
  /// Ends a window that has not failed: takes what has been exchanged, counts it and keeps its
  /// trace. Checks that the point updates that all ranks have made leave no patch out.
  /// \param blocks  see StepSchedule::blocks()
  void end_window(const Window& window, std::vector<std::size_t> blocks, Gathering& all);
  /// Ends a window that has failed, as if it had never been.
  void drop_window();

  /// A piece of work of one worker on a patch, or on several that are charged with equal parts of
  /// it, from construction to end(); it must not suspend, nor may another one on these patches run
  /// meanwhile. It shows as a piece of the first one.
  class Work {
   public:
    /// \param first  of the patches in these slots, one at least; both must live as long
    Work(Observer& observer, const Piece& first, Slots slots, int worker)
        : observer_(observer),
          own_(observer.workers_[static_cast<std::size_t>(worker)]),
          tally_(own_.steps[static_cast<std::size_t>(first.step.base_step - observer.first_)]),
          first_(first),
          slots_(slots),
          worker_(worker),
          note_(name_of(first.kind), observer.patches_.id(first.step.level, first.slot),
                first.step.base_step, first.step.time),
          begin_(read_ticks()) {
      tally_.wait += elapsed(own_.idle_since, begin_);
      const std::uint64_t steals = observer.steals(worker) - own_.steals;
      tally_.steals += steals;
      own_.steals += steals;
      const PatchId patch = observer.patches_.id(first.step.level, first.slot);
      own_.patch = patch;
      own_.now.begin(patch, first.kind, first.step.base_step, begin_);
      if (observer.recorder_.wants_pieces()) observer.note_queues(worker, steals, record_);
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    void count_updates(std::uint64_t points) { tally_.updates += points; }
    /// A step with that CFL number is taken.
    void note_cfl(double cfl) { tally_.cfl = std::max(tally_.cfl, cfl); }

    /// Ends the piece; to be called once. \return when it ended, in ticks
    std::uint64_t end() {
      own_.idle_since = read_ticks();
      own_.now.end(own_.idle_since);
      // The OS thread may have gone to another core.
      const std::uint64_t ticks = elapsed(begin_, own_.idle_since);
      tally_.busy += ticks;
      const std::uint64_t part = slots_.size() == 1 ? ticks : ticks / slots_.size();
      const LevelStep& step = first_.step;
      for (const std::uint32_t slot : slots_) {
        PatchWork& charged = observer_.patches_.at(step.level, slot);
        if (charged.base_step != step.base_step) charged.ticks = 0;
        charged.base_step = step.base_step;
        charged.worker = worker_;
        charged.ticks += part;
        charged.all_ticks += part;
      }
      if (observer_.recorder_.wants_pieces()) record(part);
      return own_.idle_since;
    }

   private:
    static const char* name_of(PieceKind kind) {
      if (kind == PieceKind::kAdvance) return "the advance";
      return kind == PieceKind::kBlend ? "the ghosts between two times" : "the end of the step";
    }

    /// Hands the patches' records over, each with its part of the time.
    void record(std::uint64_t part) {
      record_.kind = static_cast<std::uint32_t>(first_.kind);
      record_.level = static_cast<std::uint32_t>(first_.step.level);
      record_.number = static_cast<std::uint32_t>(first_.step.number);
      for (std::size_t at = 0; at < slots_.size(); ++at) {
        record_.slot = slots_[at];
        record_.begin = begin_ + at * part;
        record_.end = record_.begin + part;
        observer_.recorder_.add(worker_, record_);
        record_.note_no_queues();
      }
    }

    Observer& observer_;
    Worker& own_;
    Tally& tally_;
    const Piece& first_;
    Slots slots_;
    int worker_;
    PatchNote note_;  ///< of the first patch
    std::uint64_t begin_;
    PieceRecord record_;  ///< in a trace only
  };

  /// A worker, the one that calls, goes on with a patch that has waited `ticks` for another one.
  void note_wait(std::uint64_t ticks, const PatchWait& wait);
  /// A phase of level-synchronous stepping is over: all workers have waited for the last one. By
  /// the driver.
  void note_phase(int base_step);

  void count_regrid() { ++counters_.regrids; }

  /// What each worker is doing. From any thread, while others work.
  std::vector<WorkerActivity> activity() const;

  /// The work on a patch of the mesh that the latest window had.
  PatchWork work(int level, std::size_t slot) const {
    const std::span<const PatchWork> patches = patches_.level(level);
    PatchWork work = slot < patches.size() ? patches[slot] : PatchWork{};
    if (work.worker >= 0) work.worker += first_worker_;
    return work;
  }
  /// What the patches of the latest window's mesh have taken here since the last call; in canonical
  /// order, those only on which somebody has worked.
  std::vector<PatchValue<MeasuredCost>> take_costs();
  /// Converts ticks that were counted in the latest window.
  double seconds(std::uint64_t ticks) const {
    return static_cast<double>(ticks) * seconds_per_tick_;
  }

  /// Of all ranks.
  int workers() const { return all_workers_; }
  const std::vector<int>& workers_by_rank() const { return workers_by_rank_; }
  const WorkCounters& counters() const { return counters_; }
  /// The latest base steps, oldest first; kKeptSteps at most.
  const std::deque<BaseStepLoad>& steps() const { return kept_; }
  /// Bytes that are kept for the patches.
  std::size_t bytes() const { return patches_.memory_bytes(); }

  TraceRecorder& recorder() { return recorder_; }
  const TraceRecorder& recorder() const { return recorder_; }

 private:
  std::uint64_t steals(int worker) const {
    return runtime_ == nullptr ? 0 : runtime_->steals(worker);
  }
  void note_queues(int worker, std::uint64_t steals, PieceRecord& record) const;
  void take_waits(Gathering& all);
  void take_steps(Gathering& all);
  void forget_short_waits();

  Communicator& communicator_;
  int first_worker_ = 0;  ///< the number of the first of one's own
  int all_workers_ = 0;
  std::vector<int> workers_by_rank_;
  const runtime::Runtime* runtime_;  ///< nullptr when patches are not threads
  TickClock clock_;
  std::vector<Worker> workers_;
  PatchTable<PatchWork> patches_;
  int first_ = 0;
  std::uint64_t window_begin_ = 0;
  std::uint64_t window_end_ = 0;
  std::uint64_t updates_ = 0;      ///< points of the latest window
  std::uint64_t phase_end_ = 0;    ///< when the latest phase ended
  double seconds_per_tick_ = 0.0;  ///< since the beginning, up to the latest window's end
  WorkCounters counters_;
  std::deque<BaseStepLoad> kept_;
  TraceRecorder recorder_;
};

}  // namespace kumiko::amr
