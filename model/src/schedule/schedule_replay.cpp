#include "schedule/schedule_replay.hpp"

#include <kumiko/amr/placement.hpp>
#include <kumiko/runtime/policy/halving.hpp>

#include "schedule/block_tasks.hpp"

namespace kumiko::model {

double overhead_of_piece(const amr::Trace& trace, const Overheads& overheads, ScheduleKind kind,
                         int workers) {
  const bool is_beside = trace.workers == 1 && workers > 1;
  const double beside = is_beside ? overheads.beside_of(kind).ns : 0.0;
  return std::max(overheads.piece_of(kind).ns + beside, 0.0);
}

std::vector<std::uint32_t> levels_of(const amr::Trace& trace, const amr::TraceWindow& window) {
  std::vector<std::uint32_t> begins(static_cast<std::size_t>(trace.levels) + 1, window.end_patch);
  for (std::uint32_t patch = window.end_patch; patch > window.first_patch; --patch) {
    begins[static_cast<std::size_t>(trace.patches[patch - 1].level)] = patch - 1;
  }
  // Levels without patches begin where the next one does.
  for (std::size_t level = begins.size() - 1; level > 0; --level) {
    begins[level - 1] = std::min(begins[level - 1], begins[level]);
  }
  return begins;
}

double set_up(const amr::Trace& trace, const amr::TraceWindow& window, const Overheads& overheads) {
  const Bundle pieces = pieces_of(trace, window);
  if (pieces.begin == pieces.end) return 0.0;
  std::int64_t first = window.end_ns;
  std::int64_t last = window.begin_ns;
  for (std::uint32_t piece = pieces.begin; piece < pieces.end; ++piece) {
    first = std::min(first, trace.pieces[piece].begin_ns);
    last = std::max(last, trace.pieces[piece].end_ns);
  }
  // The first piece's own overhead is part of it.
  const auto taken = static_cast<double>((first - window.begin_ns) + (window.end_ns - last));
  return std::max(taken - overheads.piece_of(recorded_schedule(trace)).ns, 0.0);
}

/// A parallel loop over the patches of a level: a source of halved ranges for the stealing workers.
class ScheduleReplay::Phase {
 public:
  Phase(ScheduleReplay& replay, const amr::TracePhase& phase)
      : replay_(replay),
        phase_(phase),
        first_(replay.level_begin_[static_cast<std::size_t>(phase.level)]),
        pieces_(replay.level_begin_[static_cast<std::size_t>(phase.level) + 1] - first_,
                amr::kNoPiece) {
    for (std::uint32_t piece = phase.first_piece; piece < phase.end_piece; ++piece) {
      pieces_[replay.trace_.pieces[piece].patch - first_] = piece;
    }
  }

  std::size_t slots() const { return pieces_.size(); }
  const amr::PatchId& patch(std::size_t slot) const {
    return replay_.trace_.patches[first_ + slot];
  }
  /// A patch without a piece is skipped, which on stealing workers costs the overhead of a piece.
  bool has_piece(std::size_t slot) const { return pieces_[slot] != amr::kNoPiece; }
  double cost(std::size_t slot) const {
    return has_piece(slot) ? cost_of(replay_.trace_.pieces[pieces_[slot]]) : 0.0;
  }
  void count(int worker) const {
    if (phase_.kind == amr::PieceKind::kAdvance) replay_.count_updates(phase_, worker, 1);
  }

  template <class Push>
  std::uint32_t open(Bundle slots, Push push) const {
    while (slots.end - slots.begin > 1) {
      const std::uint32_t middle = runtime::policy::halving_point(slots.begin, slots.end);
      push(Bundle{slots.begin, middle});
      slots.begin = middle;
    }
    return slots.begin;
  }
  template <class Send>
  Bundle done(int worker, std::uint32_t /*slot*/, Send) const {
    count(worker);
    return {};
  }

 private:
  ScheduleReplay& replay_;
  const amr::TracePhase& phase_;
  std::uint32_t first_;
  std::vector<std::uint32_t> pieces_;  ///< by slot
};

/// The blocks of a window's patches as their tasks become ready.
class ScheduleReplay::Dataflow {
 public:
  Dataflow(ScheduleReplay& replay, const amr::TraceWindow& window)
      : replay_(replay),
        blocks_(replay.trace_, window, equal_blocks(replay.trace_, window, replay.workers_)) {
    const std::span<const BlockTasks::Task> tasks = blocks_.tasks();
    for (std::uint32_t at = 0; at < tasks.size(); ++at) {
      if (tasks[at].inputs == 0) replay.stealing_.put(tasks[at].home, {at, at + 1});
    }
  }

  template <class Push>
  std::uint32_t open(Bundle task, Push) const {
    return task.begin;
  }
  double cost(std::uint32_t at) {
    const BlockTasks::Task& task = blocks_.tasks()[at];
    double sum = (task.end - task.begin - 1) * replay_.piece_ns_;
    for (const std::uint32_t piece : blocks_.pieces(task)) {
      sum += cost_of(replay_.trace_.pieces[piece]);
    }
    return sum;
  }

  template <class Send>
  Bundle done(int worker, std::uint32_t at, Send send) {
    const std::span<BlockTasks::Task> tasks = blocks_.tasks();
    const amr::TracePhase& phase = replay_.trace_.phases[tasks[at].phase];
    if (phase.kind == amr::PieceKind::kAdvance) {
      replay_.count_updates(phase, worker, tasks[at].end - tasks[at].begin);
    }
    Bundle goes_on;
    blocks_.for_each_successor(at, [&](std::uint32_t next) {
      if (--tasks[next].inputs != 0) return;
      if (tasks[next].home == worker && goes_on.empty()) {
        goes_on = {next, next + 1};
      } else {
        send(tasks[next].home, Bundle{next, next + 1});
      }
    });
    return goes_on;
  }

 private:
  ScheduleReplay& replay_;
  BlockTasks blocks_;
};

ScheduleReplay::ScheduleReplay(const amr::Trace& trace, const Overheads& overheads,
                               ScheduleKind kind, int workers, std::uint64_t seed)
    : trace_(trace),
      overheads_(overheads),
      kind_(kind),
      workers_(workers),
      piece_ns_(overhead_of_piece(trace, overheads, kind, workers)),
      stealing_(workers, {piece_ns_, overheads.steal.ns, overheads.look.ns}, seed) {}

void ScheduleReplay::add(const amr::TraceWindow& window) {
  level_begin_ = levels_of(trace_, window);
  first_step_ = window.first_step;
  updates_.assign(static_cast<std::size_t>(window.steps) * static_cast<std::size_t>(workers_), 0);
  const Bundle pieces = pieces_of(trace_, window);
  for (std::uint32_t piece = pieces.begin; piece < pieces.end; ++piece) {
    busy_ += cost_of(trace_.pieces[piece]);
  }
  if (kind_ == recorded_schedule(trace_)) now_ += set_up(trace_, window, overheads_);
  if (kind_ == ScheduleKind::kDataflow) {
    by_dataflow(window);
  } else {
    for (std::uint32_t at = window.first_phase; at < window.end_phase; ++at) {
      const Phase phase(*this, trace_.phases[at]);
      if (phase.slots() == 0) continue;
      if (kind_ == ScheduleKind::kLevel) {
        by_level(phase);
      } else {
        by_static_parts(phase);
      }
    }
  }
  close_books();
}

void ScheduleReplay::add(const amr::TraceSpan& span) {
  const double work = work_in_loops(trace_, span);
  now_ += length_of(span) - loops_of(span) + work / workers_;
  busy_ += work;
}

Prediction ScheduleReplay::prediction() const {
  return {.kind = kind_,
          .workers = workers_,
          .seconds = now_ * 1e-9,
          .utilisation = now_ > 0.0 ? busy_ / (workers_ * now_) : 1.0,
          .imbalance = sum_of_means_ > 0.0 ? sum_of_largest_ / sum_of_means_ : 1.0,
          .steals = stealing_.steals()};
}

void ScheduleReplay::by_dataflow(const amr::TraceWindow& window) {
  Dataflow pieces(*this, window);
  now_ = stealing_.run(now_, pieces);
}

void ScheduleReplay::by_level(const Phase& phase) {
  const auto begin_of = [&](int worker) {
    return static_cast<std::uint32_t>(amr::chunk_begin(worker, phase.slots(), workers_));
  };
  for (int worker = 0; worker < workers_; ++worker) {
    const Bundle part{begin_of(worker), begin_of(worker + 1)};
    if (!part.empty()) stealing_.put(worker, part);
  }
  now_ = stealing_.run(now_, phase) + overheads_.phase_of(kind_).ns;
}

void ScheduleReplay::by_static_parts(const Phase& phase) {
  std::vector<double> loads(static_cast<std::size_t>(workers_), 0.0);
  for (std::size_t slot = 0; slot < phase.slots(); ++slot) {
    if (!phase.has_piece(slot)) continue;
    const int worker = part_of(phase, slot);
    loads[static_cast<std::size_t>(worker)] += piece_ns_ + phase.cost(slot);
    phase.count(worker);
  }
  now_ += *std::ranges::max_element(loads) + overheads_.phase_of(kind_).ns +
          doublings(workers_) * overheads_.barrier.ns;
}

/// Whose a slot is where nothing is stolen.
int ScheduleReplay::part_of(const Phase& phase, std::size_t slot) const {
  if (kind_ == ScheduleKind::kOpenMp) return amr::chunk_of(slot, phase.slots(), workers_);
  const amr::PatchId& id = phase.patch(slot);
  return amr::strip_of(id.j, std::int64_t{trace_.points_y / amr::kPatchSize} << id.level, workers_);
}

void ScheduleReplay::count_updates(const amr::TracePhase& phase, int worker,
                                   std::uint32_t patches) {
  const auto step = static_cast<std::size_t>(phase.base_step - first_step_);
  updates_[step * static_cast<std::size_t>(workers_) + static_cast<std::size_t>(worker)] += patches;
}

void ScheduleReplay::close_books() {
  const auto workers = static_cast<std::size_t>(workers_);
  for (std::size_t at = 0; at < updates_.size(); at += workers) {
    const auto step = std::span(updates_).subspan(at, workers);
    std::uint64_t sum = 0;
    for (const std::uint32_t of_worker : step) sum += of_worker;
    sum_of_largest_ += *std::ranges::max_element(step);
    sum_of_means_ += static_cast<double>(sum) / static_cast<double>(workers);
  }
}

}  // namespace kumiko::model
