#include <algorithm>
#include <vector>

#include <kumiko/amr/require.hpp>
#include <kumiko/model/schedule_model.hpp>

#include "schedule/schedule_replay.hpp"

namespace kumiko::model {

namespace {

constexpr double kSecondsPerNs = 1e-9;

/// The length of a window's longest chain of pieces that wait for each other, in nanoseconds;
/// `ready` is scratch memory.
double longest_chain(const amr::Trace& trace, const amr::TraceWindow& window,
                     std::vector<double>& ready) {
  double longest = 0.0;
  const Bundle pieces = pieces_of(trace, window);
  // The pieces that a piece waits for come before it.
  for (std::uint32_t piece = pieces.begin; piece < pieces.end; ++piece) {
    const double end = ready[piece] + cost_of(trace.pieces[piece]);
    longest = std::max(longest, end);
    for (const std::uint32_t next : trace.successors_of(piece)) {
      ready[next] = std::max(ready[next], end);
    }
  }
  return longest;
}

WorkBounds bounds_of(const amr::Trace& trace) {
  double work = 0.0;
  double path = 0.0;
  for (const amr::TracePiece& piece : trace.pieces) work += cost_of(piece);
  for (const amr::TraceSpan& span : trace.spans) {
    const double outside = length_of(span) - loops_of(span);
    work += outside + work_in_loops(trace, span);
    path += outside;
  }
  std::vector<double> ready(trace.pieces.size(), 0.0);
  for (const amr::TraceWindow& window : trace.windows) {
    path += longest_chain(trace, window, ready);
  }
  return {work * kSecondsPerNs, path * kSecondsPerNs};
}

}  // namespace

std::string_view to_string(ScheduleKind kind) {
  constexpr std::array<std::string_view, kScheduleKinds.size()> kNames = {"dataflow", "level",
                                                                          "static", "openmp"};
  return kNames[index_of(kind)];
}

double WorkBounds::at(int workers) const {
  return std::max(work / static_cast<double>(workers), critical_path);
}

ScheduleModel::ScheduleModel(const amr::Trace& trace, const Overheads& overheads,
                             std::uint64_t seed)
    : trace_(trace), overheads_(overheads), seed_(seed) {
  amr::require(!trace.pieces.empty(),
               "the trace holds no pieces of work: no base step was recorded");
  bounds_ = bounds_of(trace);
}

Prediction ScheduleModel::predict(ScheduleKind kind, int workers) const {
  amr::require(workers >= 1 && workers <= kMostWorkers,
               "{} workers cannot be modelled; 1 to {} can", workers, kMostWorkers);
  ScheduleReplay replay(trace_, overheads_, kind, workers, seed_);
  for (const amr::TraceWindow& window : trace_.windows) replay.add(window);
  for (const amr::TraceSpan& span : trace_.spans) replay.add(span);
  return replay.prediction();
}

}  // namespace kumiko::model
