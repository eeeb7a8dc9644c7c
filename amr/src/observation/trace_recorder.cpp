#include "observation/trace_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

namespace kumiko::amr {

namespace {

/// What a piece takes in a trace, without the edges that lead to it.
constexpr std::size_t kPieceBytes = sizeof(TracePiece) + sizeof(std::uint64_t);

constexpr std::array kAllKinds = {PieceKind::kAdvance, PieceKind::kBlend, PieceKind::kFinish};

std::int64_t as_time(std::uint64_t ticks) { return static_cast<std::int64_t>(ticks); }

}  // namespace

void TraceRecorder::start(std::size_t most_bytes) {
  trace_ = {};
  kept_.clear();
  is_on_ = true;
  is_full_ = false;
  now_ = nullptr;
  most_bytes_ = most_bytes;
  bytes_ = 0;
  end_ = 0;
  begin_ = read_ticks();
}

void TraceRecorder::begin_stretch(const Window& window, Hierarchy& hierarchy,
                                  const StepRules& rules) {
  drop_unfinished();
  before_ = {trace_.patches.size(), trace_.phases.size(), trace_.pieces.size(),
             trace_.stretches.size(), bytes_};
  try {
    now_ = &kept_.emplace_back(Stretch{window, {}, {}});
    now_->graph.build(hierarchy, rules);
    if (make_room(*now_)) return add_stretch(*now_);
  } catch (const std::bad_alloc&) {
    // As when most_bytes_ does not suffice.
  }
  drop_unfinished();
  become_full();
}

/// Ends the recording for want of room.
void TraceRecorder::become_full() {
  is_on_ = false;
  is_full_ = true;
  end_ = read_ticks();
}

void TraceRecorder::add_stretch(Stretch& added) {
  const PatchGraph& graph = added.graph;
  const auto first_patch = static_cast<std::uint32_t>(trace_.patches.size());
  added.first_pieces.resize(static_cast<std::size_t>(graph.levels()));
  for (int level = 0; level < graph.levels(); ++level) {
    for (const PatchGraph::Node& node : graph.level(level)) {
      trace_.patches.push_back(node.patch->id());
    }
    added.first_pieces[static_cast<std::size_t>(level)].resize(
        static_cast<std::size_t>(added.window.steps(level)));
  }
  TraceStretch stretch;
  stretch.first_step = added.window.first;
  stretch.steps = added.window.count;
  stretch.first_phase = static_cast<std::uint32_t>(trace_.phases.size());
  stretch.first_patch = first_patch;
  stretch.end_patch = static_cast<std::uint32_t>(trace_.patches.size());
  for_each_phase(added.window, [&](PieceKind kind, const LevelStep& step) {
    add_phase(kind, step, added, first_patch);
    return true;
  });
  stretch.end_phase = static_cast<std::uint32_t>(trace_.phases.size());
  trace_.stretches.push_back(stretch);
}

/// Whether there is room for the stretch; throws std::bad_alloc if there is none at all. A piece
/// has as many edges that lead to it as it has inputs, at most.
bool TraceRecorder::make_room(const Stretch& stretch) {
  const PatchGraph& graph = stretch.graph;
  std::size_t pieces = 0;
  std::size_t bytes = graph.bytes();
  for (int level = 0; level < graph.levels(); ++level) {
    const auto steps = static_cast<std::size_t>(stretch.window.steps(level));
    for (const PatchGraph::Node& node : graph.level(level)) {
      bytes += sizeof(PatchId);
      for (const PieceKind kind : kAllKinds) {
        if (!node.has(kind)) continue;
        const auto& inputs = node.inputs[static_cast<std::size_t>(kind)];
        pieces += steps;
        bytes += steps * (kPieceBytes + sizeof(std::uint32_t) *
                                            static_cast<std::size_t>(inputs[0] + inputs[1]) / 2);
      }
    }
  }
  if (bytes_ + bytes > most_bytes_ ||
      trace_.pieces.size() + pieces >= std::numeric_limits<std::uint32_t>::max()) {
    return false;
  }
  bytes_ += bytes;
  const std::size_t needed = trace_.pieces.size() + pieces;
  const std::size_t capacity = trace_.pieces.capacity();
  if (needed > capacity) trace_.pieces.reserve(std::max(needed, 2 * capacity));
  return true;
}

/// Adds a phase, unless it has no pieces.
void TraceRecorder::add_phase(PieceKind kind, const LevelStep& step, Stretch& stretch,
                              std::uint32_t first_patch) {
  const PatchGraph& graph = stretch.graph;
  TracePhase phase;
  phase.base_step = step.base_step;
  phase.level = step.level;
  phase.number = step.number;
  phase.kind = kind;
  phase.first_piece = static_cast<std::uint32_t>(trace_.pieces.size());
  for (int below = 0; below < step.level; ++below) {
    first_patch += static_cast<std::uint32_t>(graph.level(below).size());
  }
  TracePiece piece;
  piece.phase = static_cast<std::uint32_t>(trace_.phases.size());
  for (const PatchGraph::Node& node : graph.level(step.level)) {
    if (!node.has(kind)) continue;
    piece.patch = first_patch + node.slot;
    trace_.pieces.push_back(piece);
  }
  phase.end_piece = static_cast<std::uint32_t>(trace_.pieces.size());
  if (phase.end_piece == phase.first_piece) return;
  stretch.first_pieces[static_cast<std::size_t>(step.level)][static_cast<std::size_t>(step.number)]
                      [static_cast<std::size_t>(kind)] = phase.first_piece;
  trace_.phases.push_back(phase);
}

void TraceRecorder::end_stretch(std::uint64_t begin, std::uint64_t end) {
  if (now_ == nullptr) return;
  now_ = nullptr;
  trace_.stretches.back().begin_ns = as_time(begin);
  trace_.stretches.back().end_ns = as_time(end);
  end_ = end;
  loops_at_end_ = backend_.loop_time();
}

TraceRecorder::Span::Span(TraceRecorder& recorder, const char* what, int base_step)
    : recorder_(recorder.is_on_ ? &recorder : nullptr),
      what_(what),
      base_step_(base_step),
      begin_(read_ticks()),
      loops_(recorder.backend_.loop_time()) {}

TraceRecorder::Span::~Span() {
  if (recorder_ == nullptr) return;
  recorder_->add_span(what_, base_step_, begin_, read_ticks(),
                      recorder_->backend_.loop_time() - loops_);
}

void TraceRecorder::note_return(int base_step) {
  if (!is_on_ || end_ == 0) return;
  add_span("output", base_step, end_, read_ticks(), backend_.loop_time() - loops_at_end_);
}

void TraceRecorder::add_span(const char* what, int base_step, std::uint64_t begin,
                             std::uint64_t end, std::chrono::nanoseconds loops) {
  try {
    trace_.spans.push_back({what, as_time(begin), as_time(end), base_step, loops.count()});
  } catch (const std::bad_alloc&) {
    become_full();
  }
}

Trace TraceRecorder::stop() {
  drop_unfinished();
  trace_.end_ns = as_time(is_full_ ? end_ : read_ticks());
  is_on_ = false;
  Trace trace = std::exchange(trace_, {});
  std::vector<Stretch> kept = std::exchange(kept_, {});
  trace.successors_begin.reserve(trace.pieces.size() + 1);
  for (std::size_t at = 0; at < trace.stretches.size(); ++at) {
    add_edges(trace, trace.stretches[at], kept[at]);
    if (by_level_) note_level_waits(trace, trace.stretches[at]);
  }
  trace.successors_begin.push_back(trace.successors.size());
  to_nanoseconds(trace);
  keep_in_order(trace);
  return trace;
}

/// Drops a stretch that has failed, of which some pieces may be missing.
void TraceRecorder::drop_unfinished() {
  if (now_ == nullptr) return;
  now_ = nullptr;
  trace_.patches.resize(before_.patches);
  trace_.phases.resize(before_.phases);
  trace_.pieces.resize(before_.pieces);
  trace_.stretches.resize(before_.stretches);
  while (kept_.size() > before_.stretches) kept_.pop_back();
  bytes_ = before_.bytes;
}

/// Adds the edges of a stretch's pieces, in the pieces' order.
void TraceRecorder::add_edges(Trace& trace, const TraceStretch& stretch, Stretch& kept) {
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t at = stretch.first_phase; at < stretch.end_phase; ++at) {
    const TracePhase& phase = trace.phases[at];
    const LevelStep step = kept.window.step(phase.level, phase.number);
    for (PatchGraph::Node& node : kept.graph.level(phase.level)) {
      if (!node.has(phase.kind)) continue;
      waiting.clear();
      kept.graph.for_each_successor(
          phase.kind, step, node,
          [&](const PatchGraph::Node& who, int number, PieceKind kind, auto) {
            if (number >= kept.window.steps(who.level)) return;
            waiting.push_back(kept.index(who, kind, number));
          });
      std::sort(waiting.begin(), waiting.end());
      trace.successors_begin.push_back(trace.successors.size());
      trace.successors.insert(trace.successors.end(), waiting.begin(),
                              std::unique(waiting.begin(), waiting.end()));
    }
  }
  kept.graph = {};
}

/// A worker's first piece of a phase has waited for the last one of the phase before, if another
/// worker did that.
void TraceRecorder::note_level_waits(Trace& trace, const TraceStretch& stretch) const {
  constexpr std::uint32_t kNone = kNoPiece;
  std::vector<TracePiece>& pieces = trace.pieces;
  std::vector<std::int64_t> done(static_cast<std::size_t>(backend_.workers()), 0);
  std::uint32_t last = kNone;  // of the phase before
  for (std::uint32_t at = stretch.first_phase; at < stretch.end_phase; ++at) {
    const TracePhase& phase = trace.phases[at];
    std::vector<std::uint32_t> first(done.size(), kNone);
    std::uint32_t latest = phase.first_piece;
    for (std::uint32_t piece = phase.first_piece; piece < phase.end_piece; ++piece) {
      std::uint32_t& own = first[static_cast<std::size_t>(pieces[piece].worker)];
      if (own == kNone || pieces[piece].begin_ns < pieces[own].begin_ns) own = piece;
      if (pieces[piece].end_ns > pieces[latest].end_ns) latest = piece;
    }
    for (std::size_t worker = 0; worker < first.size(); ++worker) {
      if (last == kNone || first[worker] == kNone || done[worker] >= pieces[last].end_ns) continue;
      pieces[first[worker]].awaited = last;
      pieces[first[worker]].cause = WaitCause::kLevel;
    }
    for (std::uint32_t piece = phase.first_piece; piece < phase.end_piece; ++piece) {
      std::int64_t& own = done[static_cast<std::size_t>(pieces[piece].worker)];
      own = std::max(own, pieces[piece].end_ns);
    }
    last = latest;
  }
}

void TraceRecorder::to_nanoseconds(Trace& trace) const {
  const double per_tick = 1e9 * clock_.seconds_per_tick();
  const auto convert = [&](std::int64_t& ticks) {
    ticks = std::llround(per_tick * static_cast<double>(ticks - as_time(begin_)));
  };
  for (TracePiece& piece : trace.pieces) {
    convert(piece.begin_ns);
    convert(piece.end_ns);
  }
  for (TraceStretch& stretch : trace.stretches) {
    convert(stretch.begin_ns);
    convert(stretch.end_ns);
  }
  for (TraceSpan& span : trace.spans) {
    convert(span.begin_ns);
    convert(span.end_ns);
  }
  convert(trace.end_ns);
}

/// The clocks of two cores may be a little apart, and an OS thread may go from one to another: what
/// seems to be over before it began has taken no time, and a piece belongs to its stretch.
void TraceRecorder::keep_in_order(Trace& trace) {
  const auto follow = [](auto& all) {
    std::int64_t until = 0;
    for (auto& one : all) {
      one.begin_ns = std::max(one.begin_ns, until);
      one.end_ns = until = std::max(one.end_ns, one.begin_ns);
    }
    return until;
  };
  trace.end_ns = std::max({trace.end_ns, follow(trace.stretches), follow(trace.spans)});
  for (const TraceStretch& stretch : trace.stretches) {
    for (std::uint32_t phase = stretch.first_phase; phase < stretch.end_phase; ++phase) {
      for (std::uint32_t at = trace.phases[phase].first_piece; at < trace.phases[phase].end_piece;
           ++at) {
        TracePiece& piece = trace.pieces[at];
        piece.begin_ns = std::clamp(piece.begin_ns, stretch.begin_ns, stretch.end_ns);
        piece.end_ns = std::clamp(piece.end_ns, piece.begin_ns, stretch.end_ns);
      }
    }
  }
}

}  // namespace kumiko::amr
