#include "schedule_replay.hpp"

#include <kumiko/amr/placement.hpp>
#include <kumiko/runtime/policy/halving.hpp>

namespace kumiko::model {

namespace {

StealingCosts stealing_costs(const Overheads& overheads, ScheduleKind kind) {
  return {overheads.piece_of(kind).ns, overheads.steal.ns, overheads.look.ns};
}

std::vector<std::uint32_t> inputs_of(const amr::Trace& trace) {
  std::vector<std::uint32_t> inputs(trace.pieces.size(), 0);
  for (const std::uint32_t piece : trace.successors) ++inputs[piece];
  return inputs;
}

}  // namespace

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
  /// A patch that has no piece is passed over, which costs its overhead.
  double cost(std::size_t slot) const {
    return pieces_[slot] == amr::kNoPiece ? 0.0 : cost_of(replay_.trace_.pieces[pieces_[slot]]);
  }
  void count(int worker) const {
    if (phase_.kind == amr::PieceKind::kAdvance) replay_.count_update(phase_, worker);
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

/// The pieces of a stretch as they become ready.
class ScheduleReplay::Dataflow {
 public:
  Dataflow(ScheduleReplay& replay, const amr::TraceStretch& stretch)
      : replay_(replay), first_phase_(stretch.first_phase) {
    const PieceRange pieces = pieces_of(replay.trace_, stretch);
    first_ = pieces.begin;
    phase_of_.reserve(pieces.end - pieces.begin);
    homes_.reserve(pieces.end - pieces.begin);
    for (std::uint32_t at = stretch.first_phase; at < stretch.end_phase; ++at) {
      const amr::TracePhase& phase = replay.trace_.phases[at];
      for (std::uint32_t piece = phase.first_piece; piece < phase.end_piece; ++piece) {
        phase_of_.push_back(at - first_phase_);
        homes_.push_back(home_of(phase.level, replay.trace_.pieces[piece].patch));
      }
    }
    ready_.reserve(pieces.end - pieces.begin);
    begin();
  }

  template <class Push>
  std::uint32_t open(Bundle bundle, Push push) const {
    if (bundle.end - bundle.begin > 1) push(Bundle{bundle.begin + 1, bundle.end});
    return ready_[bundle.begin];
  }
  double cost(std::uint32_t piece) const { return cost_of(replay_.trace_.pieces[piece]); }

  template <class Send>
  Bundle done(int worker, std::uint32_t piece, Send send) {
    const amr::TracePhase& phase = replay_.trace_.phases[first_phase_ + phase_of_[piece - first_]];
    if (phase.kind == amr::PieceKind::kAdvance) replay_.count_update(phase, worker);
    own_.clear();
    for (const std::uint32_t next : replay_.trace_.successors_of(piece)) {
      if (--replay_.inputs_[next] != 0) continue;
      const int home = homes_[next - first_];
      if (home == worker) {
        own_.push_back(next);
      } else {
        send(home, bundle({&next, 1}));
      }
    }
    return bundle(own_);
  }

 private:
  /// Everyone has those of his patches that need not wait.
  void begin() {
    std::vector<std::vector<std::uint32_t>> first(static_cast<std::size_t>(replay_.workers_));
    for (std::size_t at = 0; at < homes_.size(); ++at) {
      const auto piece = first_ + static_cast<std::uint32_t>(at);
      if (replay_.inputs_[piece] == 0) first[static_cast<std::size_t>(homes_[at])].push_back(piece);
    }
    for (std::size_t worker = 0; worker < first.size(); ++worker) {
      if (first[worker].empty()) continue;
      replay_.stealing_.put(static_cast<int>(worker), bundle(first[worker]));
    }
  }

  Bundle bundle(std::span<const std::uint32_t> pieces) {
    const auto begin = static_cast<std::uint32_t>(ready_.size());
    ready_.insert(ready_.end(), pieces.begin(), pieces.end());
    return {begin, static_cast<std::uint32_t>(ready_.size())};
  }

  int home_of(std::int32_t level, std::uint32_t patch) const {
    const std::vector<std::uint32_t>& begins = replay_.level_begin_;
    const auto at = static_cast<std::size_t>(level);
    return amr::home_of(patch - begins[at], begins[at + 1] - begins[at], replay_.workers_);
  }

  ScheduleReplay& replay_;
  std::uint32_t first_phase_;
  std::uint32_t first_;  ///< the stretch's first piece; the next two count from there
  std::vector<std::uint32_t> phase_of_;
  std::vector<int> homes_;
  std::vector<std::uint32_t> ready_;  ///< all that have ever been, bundled
  std::vector<std::uint32_t> own_;
};

ScheduleReplay::ScheduleReplay(const amr::Trace& trace, const Overheads& overheads,
                               ScheduleKind kind, int workers, std::uint64_t seed)
    : trace_(trace),
      overheads_(overheads),
      kind_(kind),
      workers_(workers),
      stealing_(workers, stealing_costs(overheads, kind), seed) {
  if (kind == ScheduleKind::kDataflow) inputs_ = inputs_of(trace);
}

void ScheduleReplay::add(const amr::TraceStretch& stretch) {
  find_levels(stretch);
  first_step_ = stretch.first_step;
  updates_.assign(static_cast<std::size_t>(stretch.steps) * static_cast<std::size_t>(workers_), 0);
  const PieceRange pieces = pieces_of(trace_, stretch);
  for (std::uint32_t piece = pieces.begin; piece < pieces.end; ++piece) {
    busy_ += cost_of(trace_.pieces[piece]);
  }
  if (kind_ == recorded_schedule(trace_)) now_ += set_up(stretch);
  if (kind_ == ScheduleKind::kDataflow) {
    by_dataflow(stretch);
  } else {
    for (std::uint32_t at = stretch.first_phase; at < stretch.end_phase; ++at) {
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
  Prediction result;
  result.kind = kind_;
  result.workers = workers_;
  result.seconds = now_ * 1e-9;
  result.utilisation = now_ > 0.0 ? busy_ / (workers_ * now_) : 1.0;
  result.balance_efficiency = sum_of_means_ > 0.0 ? sum_of_largest_ / sum_of_means_ : 1.0;
  result.steals = stealing_.steals();
  return result;
}

void ScheduleReplay::by_dataflow(const amr::TraceStretch& stretch) {
  Dataflow pieces(*this, stretch);
  now_ = stealing_.run(now_, pieces);
}

void ScheduleReplay::by_level(const Phase& phase) {
  // Who was last in a phase goes on as the driver.
  stealing_.put(stealing_.last(), {0, static_cast<std::uint32_t>(phase.slots())});
  now_ = stealing_.run(now_, phase) + overheads_.phase_of(kind_).ns;
}

void ScheduleReplay::by_static_parts(const Phase& phase) {
  std::vector<double> loads(static_cast<std::size_t>(workers_), 0.0);
  for (std::size_t slot = 0; slot < phase.slots(); ++slot) {
    const int worker = part_of(phase, slot);
    loads[static_cast<std::size_t>(worker)] += overheads_.piece_of(kind_).ns + phase.cost(slot);
    phase.count(worker);
  }
  now_ += *std::ranges::max_element(loads) + overheads_.phase_of(kind_).ns +
          doublings(workers_) * overheads_.barrier.ns;
}

void ScheduleReplay::find_levels(const amr::TraceStretch& stretch) {
  level_begin_.assign(static_cast<std::size_t>(trace_.levels) + 1, stretch.end_patch);
  for (std::uint32_t patch = stretch.end_patch; patch > stretch.first_patch; --patch) {
    level_begin_[static_cast<std::size_t>(trace_.patches[patch - 1].level)] = patch - 1;
  }
  // Levels without patches begin where the next one does.
  for (std::size_t level = level_begin_.size() - 1; level > 0; --level) {
    level_begin_[level - 1] = std::min(level_begin_[level - 1], level_begin_[level]);
  }
}

/// What a stretch took before its first piece and after its last.
double ScheduleReplay::set_up(const amr::TraceStretch& stretch) const {
  const PieceRange pieces = pieces_of(trace_, stretch);
  if (pieces.begin == pieces.end) return 0.0;
  std::int64_t first = stretch.end_ns;
  std::int64_t last = stretch.begin_ns;
  for (std::uint32_t piece = pieces.begin; piece < pieces.end; ++piece) {
    first = std::min(first, trace_.pieces[piece].begin_ns);
    last = std::max(last, trace_.pieces[piece].end_ns);
  }
  // The first piece's own overhead is part of it.
  const auto taken = static_cast<double>((first - stretch.begin_ns) + (stretch.end_ns - last));
  return std::max(taken - overheads_.piece_of(kind_).ns, 0.0);
}

/// Whose a slot is where nothing is stolen.
int ScheduleReplay::part_of(const Phase& phase, std::size_t slot) const {
  if (kind_ == ScheduleKind::kOpenMp) return amr::chunk_of(slot, phase.slots(), workers_);
  const amr::PatchId& id = phase.patch(slot);
  return amr::strip_of(id.j, std::int64_t{trace_.points_y / amr::kPatchSize} << id.level, workers_);
}

void ScheduleReplay::count_update(const amr::TracePhase& phase, int worker) {
  const auto step = static_cast<std::size_t>(phase.base_step - first_step_);
  ++updates_[step * static_cast<std::size_t>(workers_) + static_cast<std::size_t>(worker)];
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
