// Estimates from a trace the time that is spent outside of the pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include <kumiko/amr/require.hpp>

#include "schedule/block_tasks.hpp"
#include "schedule/schedule_replay.hpp"

namespace kumiko::model {

namespace {

/// Gaps of a trace, in nanoseconds.
struct Gaps {
  std::vector<double> pieces;
  std::vector<double> phases;
  std::vector<double> steals;
};

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Without the longest hundredth.
double usual_mean(std::vector<double>& values) {
  const std::size_t count = values.size() - values.size() / 100;
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(values.begin(), end - 1, values.end());
  return std::accumulate(values.begin(), end, 0.0) / static_cast<double>(count);
}

/// When the last of what a piece's block waits for was there; for each piece of the trace. Level by
/// level everything is there when a phase begins.
std::vector<std::int64_t> ready_times(const amr::Trace& trace) {
  std::vector<std::int64_t> ready(trace.pieces.size(), 0);
  if (recorded_schedule(trace) != ScheduleKind::kDataflow) return ready;
  for (const amr::TraceWindow& window : trace.windows) {
    BlockTasks blocks(trace, window, equal_blocks(trace, window, trace.workers));
    std::vector<std::int64_t> of_tasks(blocks.tasks().size(), 0);
    for (std::uint32_t at = 0; at < of_tasks.size(); ++at) {
      const BlockTasks::Task& task = blocks.tasks()[at];
      std::int64_t end = 0;
      for (const std::uint32_t piece : blocks.pieces(task)) {
        ready[piece] = of_tasks[at];
        end = std::max(end, trace.pieces[piece].end_ns);
      }
      blocks.for_each_successor(
          at, [&](std::uint32_t next) { of_tasks[next] = std::max(of_tasks[next], end); });
    }
  }
  return ready;
}

/// Adds the gaps between successive pieces of one worker in a window.
void add_piece_gaps(const amr::Trace& trace, const amr::TraceWindow& window,
                    const std::vector<std::int64_t>& ready, bool by_level, Gaps& gaps) {
  const Bundle range = pieces_of(trace, window);
  std::vector<std::uint32_t> order(range.end - range.begin);
  std::iota(order.begin(), order.end(), range.begin);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const amr::TracePiece& first = trace.pieces[a];
    const amr::TracePiece& second = trace.pieces[b];
    if (first.worker != second.worker) return first.worker < second.worker;
    return first.begin_ns < second.begin_ns;
  });
  for (std::size_t at = 1; at < order.size(); ++at) {
    const amr::TracePiece& before = trace.pieces[order[at - 1]];
    const amr::TracePiece& piece = trace.pieces[order[at]];
    if (before.worker != piece.worker) continue;
    const std::int64_t possible = std::max(before.end_ns, ready[order[at]]);
    const auto gap = static_cast<double>(piece.begin_ns - possible);
    // Clocks of two cores may be a little apart.
    if (gap < 0.0) continue;
    if (by_level && before.phase != piece.phase) continue;
    if (piece.steals > 0) {
      // Level by level, what is stolen is a range, which was there long before its pieces.
      if (!by_level) gaps.steals.push_back(gap);
    } else if (possible == before.end_ns) {
      gaps.pieces.push_back(gap);
    }
  }
}

void add_phase_gaps(const amr::Trace& trace, const amr::TraceWindow& window, Gaps& gaps) {
  std::int64_t last_end = -1;
  for (std::uint32_t at = window.first_phase; at < window.end_phase; ++at) {
    const amr::TracePhase& phase = trace.phases[at];
    if (phase.first_piece == phase.end_piece) continue;
    std::int64_t begin = trace.pieces[phase.first_piece].begin_ns;
    std::int64_t end = trace.pieces[phase.first_piece].end_ns;
    for (std::uint32_t piece = phase.first_piece; piece < phase.end_piece; ++piece) {
      begin = std::min(begin, trace.pieces[piece].begin_ns);
      end = std::max(end, trace.pieces[piece].end_ns);
    }
    if (last_end >= 0) gaps.phases.push_back(static_cast<double>(begin - last_end));
    last_end = end;
  }
}

/// Where OS threads meet, what exceeds a loop's own start is their barrier.
void note_phase_gap(double gap, ScheduleKind kind, const amr::Trace& trace, Overheads& result) {
  Overhead& phase = result.phase[index_of(kind)];
  if (kind == ScheduleKind::kLevel || trace.workers == 1) {
    phase = {std::max(gap, 0.0), true};
  } else {
    result.barrier = {std::max(gap - phase.ns, 0.0) / doublings(trace.workers), true};
  }
}

/// The usual time of a piece of a trace.
double usual_cost(const amr::Trace& trace) {
  std::vector<double> costs;
  costs.reserve(trace.pieces.size());
  for (const amr::TracePiece& piece : trace.pieces) costs.push_back(cost_of(piece));
  return usual_mean(costs);
}

/// True if the pieces are of the same base steps and meshes, as far as numbers tell.
bool are_alike(const amr::Trace& a, const amr::Trace& b) {
  return a.case_name == b.case_name && a.solver == b.solver && a.points_x == b.points_x &&
         a.points_y == b.points_y && a.pieces.size() == b.pieces.size() && !a.pieces.empty() &&
         a.windows.front().first_step == b.windows.front().first_step;
}

}  // namespace

ScheduleKind recorded_schedule(const amr::Trace& trace) {
  if (trace.schedule == "dataflow") return ScheduleKind::kDataflow;
  if (trace.backend == "threads") return ScheduleKind::kLevel;
  return trace.backend == "openmp" ? ScheduleKind::kOpenMp : ScheduleKind::kStatic;
}

Overheads estimate_overheads(const amr::Trace& trace) {
  const ScheduleKind kind = recorded_schedule(trace);
  const bool by_level = kind != ScheduleKind::kDataflow;
  const std::vector<std::int64_t> ready = ready_times(trace);
  Gaps gaps;
  for (const amr::TraceWindow& window : trace.windows) {
    add_piece_gaps(trace, window, ready, by_level, gaps);
    if (by_level) add_phase_gaps(trace, window, gaps);
  }
  Overheads result;
  Overhead& piece = result.piece[index_of(kind)];
  if (!gaps.pieces.empty()) piece = {usual_mean(gaps.pieces), true};
  if (!gaps.phases.empty()) note_phase_gap(median(gaps.phases) - piece.ns, kind, trace, result);
  if (!gaps.steals.empty()) result.steal = {median(gaps.steals), true};
  return result;
}

double disturbed_share(const amr::Trace& trace) {
  constexpr double kMuch = 20.0;
  std::map<std::pair<std::int32_t, amr::PieceKind>, std::vector<double>> costs;
  for (const amr::TracePiece& piece : trace.pieces) {
    const amr::TracePhase& phase = trace.phases[piece.phase];
    costs[{phase.level, phase.kind}].push_back(cost_of(piece));
  }
  double disturbed = 0.0;
  double all = 0.0;
  for (auto& [which, values] : costs) {
    const double limit = kMuch * median(values);
    for (const double cost : values) {
      all += cost;
      if (cost > limit) disturbed += cost;
    }
  }
  return all > 0.0 ? disturbed / all : 0.0;
}

PieceTimes compare_pieces(const amr::Trace& alone, const amr::Trace& several,
                          Overheads& overheads) {
  amr::require(alone.workers == 1,
               "the trace to predict from was recorded with {} workers, so its pieces already "
               "include the cost of other workers; record it with one",
               alone.workers);
  amr::require(several.workers > 1,
               "the trace to compare with was recorded with one worker; record it with two");
  amr::require(
      are_alike(alone, several),
      "the traces are not of the same base steps of one run; record both with the same case, "
      "settings, trace.from and trace.steps");
  const ScheduleKind kind = recorded_schedule(several);
  const Overheads told = estimate_overheads(several);
  const PieceTimes times{kind, usual_cost(alone) + overheads.piece_of(kind).ns,
                         usual_cost(several) + told.piece_of(kind).ns};
  const double most_gained = -overheads.piece_of(kind).ns;
  overheads.beside[index_of(kind)] = {std::max(times.beside_ns - times.alone_ns, most_gained),
                                      true};
  if (told.steal.measured) overheads.steal = told.steal;
  if (told.barrier.measured) overheads.barrier = told.barrier;
  return times;
}

}  // namespace kumiko::model
