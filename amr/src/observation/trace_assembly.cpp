#include "observation/trace_assembly.hpp"

#include <algorithm>
#include <utility>

#include <kumiko/amr/placement.hpp>
#include <kumiko/amr/read_plan.hpp>

namespace kumiko::amr {

namespace {

constexpr std::array kAllKinds = {PieceKind::kAdvance, PieceKind::kBlend, PieceKind::kFinish};

/// -1 stands for what is not known.
template <class Number>
std::int32_t or_unknown(Number number, Number unknown) {
  return number == unknown ? -1 : static_cast<std::int32_t>(number);
}

}  // namespace

void TraceAssembly::add(const RecordedWindow& added, const PieceRecords::Ends& after) {
  const Window& window = added.window;
  build_graph(added);
  rank_patches();
  TraceWindow traced;
  traced.begin_ns = static_cast<std::int64_t>(added.begin_ticks);
  traced.end_ns = static_cast<std::int64_t>(added.end_ticks);
  traced.first_step = window.first;
  traced.steps = window.count;
  traced.first_phase = static_cast<std::uint32_t>(trace_.phases.size());
  traced.first_patch = static_cast<std::uint32_t>(trace_.patches.size());
  first_pieces_.clear();
  for (int level = 0; level < graph_.levels(); ++level) {
    const std::span<const PatchId> ids = added.mesh.ids(level);
    const std::span<const std::int32_t> ranks = added.mesh.ranks(level);
    for (std::size_t slot = 0; slot < ids.size(); ++slot) {
      trace_.patches.push_back({ids[slot], ranks[slot]});
    }
    number_blocks(added, level);
    first_pieces_.emplace_back(static_cast<std::size_t>(window.steps(level)));
  }
  traced.end_patch = static_cast<std::uint32_t>(trace_.patches.size());
  for_each_phase(window, [&](PieceKind kind, const LevelStep& step) {
    add_phase(kind, step, traced.first_patch);
    return true;
  });
  traced.end_phase = static_cast<std::uint32_t>(trace_.phases.size());
  trace_.windows.push_back(traced);
  fill_in(added.before, after);
  add_edges(window, traced);
  if (by_level_) note_level_waits(traced);
}

/// Says of which block each patch of a level is. Every rank makes equal parts of its own patches;
/// those of one rank are numbered after those of the one before.
void TraceAssembly::number_blocks(const RecordedWindow& traced, int level) {
  if (traced.blocks.empty()) return;
  const std::span<const std::int32_t> ranks = traced.mesh.ranks(level);
  struct Blocks {
    std::size_t patches = 0;
    std::size_t met = 0;
    std::int32_t first = 0;
    std::int32_t count = 0;
  };
  std::vector<Blocks> of(traced.blocks.size());
  for (const std::int32_t rank : ranks) ++of[static_cast<std::size_t>(rank)].patches;
  std::int32_t first = 0;
  for (std::size_t rank = 0; rank < of.size(); ++rank) {
    of[rank].first = first;
    of[rank].count =
        static_cast<std::int32_t>(traced.blocks[rank][static_cast<std::size_t>(level)]);
    first += of[rank].count;
  }
  for (const std::int32_t rank : ranks) {
    Blocks& own = of[static_cast<std::size_t>(rank)];
    trace_.blocks.push_back(own.first + home_of(own.met++, own.patches, own.count));
  }
}

/// Who reads whom does not depend on the number of ghost layers.
void TraceAssembly::build_graph(const RecordedWindow& traced) {
  const Mesh<2>& mesh = traced.mesh;
  ReadPlan plan(1);
  for (int level = 0; level < mesh.levels(); ++level) {
    plan.update(mesh, level, level_difference<PatchId>({}, mesh.ids(level)));
  }
  const Window& window = traced.window;
  graph_.build(mesh, StepRules(plan, traced.flux_form, window.clock, window.blends_in_time),
               [&](int level) { return mesh.size(level); });
}

/// Counts off, for each kind of piece, a level's patches that have it.
void TraceAssembly::rank_patches() {
  ranks_.clear();
  for (int level = 0; level < graph_.levels(); ++level) {
    std::vector<OfKinds>& ranks = ranks_.emplace_back();
    ranks.reserve(graph_.patches(level));
    OfKinds next{};
    for (std::size_t slot = 0; slot < graph_.patches(level); ++slot) {
      ranks.push_back(next);
      for (const PieceKind kind : kAllKinds) {
        next[static_cast<std::size_t>(kind)] += graph_.has(kind, level, slot) ? 1 : 0;
      }
    }
  }
}

/// Adds a phase, unless it has no pieces.
void TraceAssembly::add_phase(PieceKind kind, const LevelStep& step, std::uint32_t first_patch) {
  TracePhase phase;
  phase.base_step = step.base_step;
  phase.level = step.level;
  phase.number = step.number;
  phase.kind = kind;
  phase.first_piece = static_cast<std::uint32_t>(trace_.pieces.size());
  for (int below = 0; below < step.level; ++below) {
    first_patch += static_cast<std::uint32_t>(graph_.patches(below));
  }
  TracePiece piece;
  piece.phase = static_cast<std::uint32_t>(trace_.phases.size());
  for (std::uint32_t slot = 0; slot < graph_.patches(step.level); ++slot) {
    if (!graph_.has(kind, step.level, slot)) continue;
    piece.patch = first_patch + slot;
    trace_.pieces.push_back(piece);
  }
  phase.end_piece = static_cast<std::uint32_t>(trace_.pieces.size());
  if (phase.end_piece == phase.first_piece) return;
  first_pieces_[static_cast<std::size_t>(step.level)][static_cast<std::size_t>(step.number)]
               [static_cast<std::size_t>(kind)] = phase.first_piece;
  trace_.phases.push_back(phase);
}

/// Says who did each piece, and when. Level by level patches blend too from which no finer one
/// interpolates; these pieces are left out.
void TraceAssembly::fill_in(const PieceRecords::Ends& before, const PieceRecords::Ends& after) {
  for (std::size_t worker = 0; worker < records_.workers(); ++worker) {
    for (std::size_t at = before[worker]; at < after[worker]; ++at) {
      const PieceRecord& record = records_.at(worker, at);
      const auto kind = static_cast<PieceKind>(record.kind);
      const auto level = static_cast<int>(record.level);
      if (!graph_.has(kind, level, record.slot)) continue;
      TracePiece& piece =
          trace_.pieces[index(kind, level, static_cast<int>(record.number), record.slot)];
      piece.begin_ns = static_cast<std::int64_t>(record.begin);
      piece.end_ns = static_cast<std::int64_t>(record.end);
      piece.worker = static_cast<std::int32_t>(worker);
      piece.steals = record.steals;
      piece.runnable = or_unknown(std::uint32_t{record.runnable}, PieceRecord::kUnknownRunnable);
      piece.io_in_flight = or_unknown(record.io_in_flight, PieceRecord::kUnknownIo);
    }
  }
}

/// Adds the edges of a traced's pieces, in the pieces' order, and notes for each piece which of
/// those that it waits for ended last, unless that is the patch's own: a patch that was busy itself
/// until the end has not waited.
void TraceAssembly::add_edges(const Window& window, const TraceWindow& traced) {
  std::vector<TracePiece>& pieces = trace_.pieces;
  const auto is_later = [&](std::uint32_t one, std::uint32_t other, std::uint32_t patch) {
    const auto key = [&](std::uint32_t piece) {
      return std::pair(pieces[piece].end_ns, pieces[piece].patch == patch);
    };
    return other == kNoPiece || key(one) > key(other);
  };
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t at = traced.first_phase; at < traced.end_phase; ++at) {
    const TracePhase& phase = trace_.phases[at];
    const LevelStep step = window.step(phase.level, phase.number);
    std::uint32_t piece = phase.first_piece;
    for (BlockGraph::Node& node : graph_.level(phase.level)) {
      if (!graph_.has(phase.kind, phase.level, node.index)) continue;
      // All that it waits for have come before.
      TracePiece& own = pieces[piece];
      if (own.awaited != kNoPiece && pieces[own.awaited].patch == own.patch) own.awaited = kNoPiece;
      waiting.clear();
      graph_.for_each_successor(
          phase.kind, step, node,
          [&](const BlockGraph::Node& who, int number, PieceKind kind, WaitCause cause) {
            if (number >= window.steps(who.level)) return;
            const std::uint32_t next = index(kind, who.level, number, who.index);
            waiting.push_back(next);
            if (!is_later(piece, pieces[next].awaited, pieces[next].patch)) return;
            pieces[next].awaited = piece;
            pieces[next].cause = cause;
          });
      std::sort(waiting.begin(), waiting.end());
      trace_.successors_begin.push_back(trace_.successors.size());
      trace_.successors.insert(trace_.successors.end(), waiting.begin(),
                               std::unique(waiting.begin(), waiting.end()));
      ++piece;
    }
  }
}

/// A worker's first piece of a phase has waited for the last one of the phase before, if another
/// worker did that.
void TraceAssembly::note_level_waits(const TraceWindow& traced) {
  std::vector<TracePiece>& pieces = trace_.pieces;
  std::vector<std::int64_t> done(records_.workers(), 0);
  std::uint32_t last = kNoPiece;  // of the phase before
  for (std::uint32_t at = traced.first_phase; at < traced.end_phase; ++at) {
    const TracePhase& phase = trace_.phases[at];
    std::vector<std::uint32_t> first(done.size(), kNoPiece);
    std::uint32_t latest = phase.first_piece;
    for (std::uint32_t piece = phase.first_piece; piece < phase.end_piece; ++piece) {
      pieces[piece].awaited = kNoPiece;
      std::uint32_t& own = first[static_cast<std::size_t>(pieces[piece].worker)];
      if (own == kNoPiece || pieces[piece].begin_ns < pieces[own].begin_ns) own = piece;
      if (pieces[piece].end_ns > pieces[latest].end_ns) latest = piece;
    }
    for (std::size_t worker = 0; worker < first.size(); ++worker) {
      if (last == kNoPiece || first[worker] == kNoPiece || done[worker] >= pieces[last].end_ns)
        continue;
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

}  // namespace kumiko::amr
