#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>

#include <kumiko/amr/require.hpp>
#include <kumiko/amr/trace.hpp>

namespace kumiko::amr {

namespace {

/// Checks that a range goes on where the one before ended.
template <class Index>
void check_range(Index begin, Index end, Index& expected, std::size_t limit, const char* of,
                 std::size_t at) {
  require(begin == expected && begin <= end && end <= limit,
          "{} {} has items {} to {}, of {} with {} the first", of, at, begin, end, limit, expected);
  expected = end;
}

void check_times(std::int64_t begin, std::int64_t end, std::int64_t from, std::int64_t until,
                 const char* of, std::size_t at) {
  require(begin <= end && begin >= from && end <= until,
          "{} {} lasts from {} to {} ns, not within {} to {} ns", of, at, begin, end, from, until);
}

void check_numbers(const Trace& trace) {
  constexpr std::int32_t kMostLevels = 30;  // whose patches can be counted
  require(trace.workers >= 1, "it has {} workers", trace.workers);
  require(trace.levels >= 1 && trace.levels <= kMostLevels, "it has {} levels", trace.levels);
  require(trace.pieces.size() < kNoPiece, "it has {} pieces", trace.pieces.size());
  for (const std::int32_t points : {trace.points_x, trace.points_y}) {
    require(points > 0 && points % kPatchSize == 0, "level 0 has {} x {} points", trace.points_x,
            trace.points_y);
  }
}

void check_patch(const Trace& trace, std::size_t at) {
  const TracePatch& id = trace.patches[at];
  require(id.level >= 0 && id.level < trace.levels, "patch {} is of level {}, of {}", at, id.level,
          trace.levels);
  const auto lies_within = [&](int place, std::int32_t points) {
    return place >= 0 && place < std::int64_t{points / kPatchSize} << id.level;
  };
  require(lies_within(id.i, trace.points_x) && lies_within(id.j, trace.points_y),
          "patch {} of level {} is ({}, {}), outside the domain", at, id.level, id.i, id.j);
  require(id.rank >= -1, "patch {} is of rank {}", at, id.rank);
}

/// Checks the patches of a window: each once, in canonical order, and their blocks.
void check_patches(const Trace& trace, const TraceWindow& window) {
  for (std::size_t at = window.first_patch; at < window.end_patch; ++at) {
    check_patch(trace, at);
    require(trace.blocks.empty() || trace.blocks[at] >= 0, "patch {} is of block {}", at,
            trace.blocks.empty() ? 0 : trace.blocks[at]);
    require(at == window.first_patch || trace.patches[at - 1] < trace.patches[at],
            "patch {} does not follow the one before by level, j, i", at);
  }
}

void check_windows(const Trace& trace) {
  require(trace.blocks.empty() || trace.blocks.size() == trace.patches.size(),
          "{} patches have {} blocks", trace.patches.size(), trace.blocks.size());
  std::uint32_t phase = 0;
  std::uint32_t patch = 0;
  std::int64_t until = 0;
  for (std::size_t at = 0; at < trace.windows.size(); ++at) {
    const TraceWindow& window = trace.windows[at];
    check_times(window.begin_ns, window.end_ns, until, trace.end_ns, "window", at);
    until = window.end_ns;
    require(window.steps >= 1, "window {} has {} base steps", at, window.steps);
    check_range(window.first_phase, window.end_phase, phase, trace.phases.size(), "window", at);
    check_range(window.first_patch, window.end_patch, patch, trace.patches.size(), "window", at);
    check_patches(trace, window);
  }
  require(phase == trace.phases.size(), "{} phases belong to no window",
          trace.phases.size() - phase);
  require(patch == trace.patches.size(), "{} patches belong to no window",
          trace.patches.size() - patch);
}

void check_spans(const Trace& trace) {
  constexpr std::array<std::string_view, 3> kKnown = {"regrid", "check", "output"};
  std::int64_t until = 0;
  for (std::size_t at = 0; at < trace.spans.size(); ++at) {
    const TraceSpan& span = trace.spans[at];
    check_times(span.begin_ns, span.end_ns, until, trace.end_ns, "span", at);
    until = span.end_ns;
    require(std::find(kKnown.begin(), kKnown.end(), span.what) != kKnown.end(),
            "span {} is none that is known", at);
    require(span.loops_ns >= 0, "span {} has loops of {} ns", at, span.loops_ns);
  }
}

void check_phase(const Trace& trace, const TraceWindow& window, std::size_t at) {
  const TracePhase& phase = trace.phases[at];
  require(phase.level >= 0 && phase.level < trace.levels, "phase {} is of level {}, of {}", at,
          phase.level, trace.levels);
  require(phase.kind <= PieceKind::kFinish, "phase {} is of kind {}", at,
          static_cast<int>(phase.kind));
  require(phase.base_step >= window.first_step &&
              std::int64_t{phase.base_step} - window.first_step < window.steps && phase.number >= 0,
          "phase {} is step {} of base step {}", at, phase.number, phase.base_step);
}

void check_piece(const Trace& trace, const TraceWindow& window, std::size_t phase,
                 std::uint32_t at) {
  const TracePiece& piece = trace.pieces[at];
  require(piece.phase == phase, "piece {} stands in phase {} and names {}", at, phase, piece.phase);
  require(piece.patch >= window.first_patch && piece.patch < window.end_patch,
          "piece {} is of patch {}, not of its window", at, piece.patch);
  require(trace.patches[piece.patch].level == trace.phases[phase].level,
          "piece {} is of another level than its phase", at);
  require(at == trace.phases[phase].first_piece || piece.patch > trace.pieces[at - 1].patch,
          "piece {} does not follow the one before by its patch", at);
  require(piece.worker >= 0 && piece.worker < trace.workers, "piece {} is of worker {}, of {}", at,
          piece.worker, trace.workers);
  check_times(piece.begin_ns, piece.end_ns, window.begin_ns, window.end_ns, "piece", at);
  require(piece.cause <= WaitCause::kLevel, "piece {} waited for cause {}", at,
          static_cast<int>(piece.cause));
  if (piece.awaited == kNoPiece) return;
  const std::uint32_t first = trace.phases[window.first_phase].first_piece;
  require(piece.awaited >= first && piece.awaited < at, "piece {} waited for {}", at,
          piece.awaited);
}

void check_pieces(const Trace& trace) {
  std::uint32_t expected = 0;
  for (const TraceWindow& window : trace.windows) {
    const std::uint32_t begin = expected;
    for (std::size_t phase = window.first_phase; phase < window.end_phase; ++phase) {
      const std::uint32_t first = trace.phases[phase].first_piece;
      const std::uint32_t end = trace.phases[phase].end_piece;
      check_phase(trace, window, phase);
      check_range(first, end, expected, trace.pieces.size(), "phase", phase);
      for (std::uint32_t at = first; at < end; ++at) check_piece(trace, window, phase, at);
    }
    // Each base step advances something. Readers take memory for each.
    require(window.steps <= std::int64_t{expected} - begin, "{} base steps have {} pieces",
            window.steps, expected - begin);
  }
  require(expected == trace.pieces.size(), "{} pieces belong to no phase",
          trace.pieces.size() - expected);
}

/// Checks the edges of the pieces of a window, which end with piece `end`.
void check_successors(const Trace& trace, std::uint32_t at, std::uint32_t end) {
  std::uint32_t before = at;
  for (const std::uint32_t successor : trace.successors_of(at)) {
    require(successor > before && successor < end,
            "piece {} is waited for by {}, after {}, in a window up to {}", at, successor, before,
            end);
    before = successor;
  }
}

void check_edges(const Trace& trace) {
  const std::vector<std::uint64_t>& begins = trace.successors_begin;
  require(begins.size() == trace.pieces.size() + 1 && begins.front() == 0 &&
              begins.back() == trace.successors.size() &&
              std::is_sorted(begins.begin(), begins.end()),
          "{} pieces have {} lists of who waits for them, with {} edges", trace.pieces.size(),
          begins.size(), trace.successors.size());
  for (const TraceWindow& window : trace.windows) {
    if (window.first_phase == window.end_phase) continue;
    const std::uint32_t end = trace.phases[window.end_phase - 1].end_piece;
    for (std::uint32_t at = trace.phases[window.first_phase].first_piece; at < end; ++at) {
      check_successors(trace, at, end);
    }
  }
}

}  // namespace

std::string_view to_string(PieceKind kind) {
  constexpr const char* kNames[] = {"advance", "blend", "finish"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(PieceKind::kFinish) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

void check(const Trace& trace) {
  try {
    check_numbers(trace);
    check_windows(trace);
    check_pieces(trace);
    check_edges(trace);
    check_spans(trace);
  } catch (const std::invalid_argument& contradiction) {
    throw std::invalid_argument("the trace contradicts itself: " +
                                std::string(contradiction.what()));
  }
}

}  // namespace kumiko::amr
