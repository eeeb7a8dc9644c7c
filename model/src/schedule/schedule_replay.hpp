// Replays a trace once, under one schedule and number of workers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <kumiko/model/schedule_model.hpp>

#include "schedule/stealing_workers.hpp"

namespace kumiko::model {

// Times in nanoseconds.
inline double cost_of(const amr::TracePiece& piece) {
  return static_cast<double>(piece.end_ns - piece.begin_ns);
}
inline double length_of(const amr::TraceSpan& span) {
  return static_cast<double>(span.end_ns - span.begin_ns);
}
/// How long a span was in parallel loops, by the clock.
inline double loops_of(const amr::TraceSpan& span) {
  return std::min(static_cast<double>(span.loops_ns), length_of(span));
}

/// The work of a trace's recorded workers in a span's parallel loops, as if they had never waited
/// there.
inline double work_in_loops(const amr::Trace& trace, const amr::TraceSpan& span) {
  return loops_of(span) * trace.workers;
}

/// How often one worker has to be doubled until there are as many.
inline int doublings(int workers) { return std::bit_width(static_cast<unsigned>(workers - 1)); }

/// The pieces of a window.
inline Bundle pieces_of(const amr::Trace& trace, const amr::TraceWindow& window) {
  if (window.first_phase == window.end_phase) return {0, 0};
  return {trace.phases[window.first_phase].first_piece,
          trace.phases[window.end_phase - 1].end_piece};
}

/// Where each level's patches of a window begin in Trace::patches, and the last one's end.
std::vector<std::uint32_t> levels_of(const amr::Trace& trace, const amr::TraceWindow& window);

/// The overhead of a piece on one of several workers, or on the only one. Pieces of a trace by
/// several workers already contain the cost of other workers.
double overhead_of_piece(const amr::Trace& trace, const Overheads& overheads, ScheduleKind kind,
                         int workers);

/// The time of a window before its first piece and after its last.
double set_up(const amr::Trace& trace, const amr::TraceWindow& window, const Overheads& overheads);

/// The schedule that a trace was recorded with.
ScheduleKind recorded_schedule(const amr::Trace& trace);

class ScheduleReplay {
 public:
  ScheduleReplay(const amr::Trace& trace, const Overheads& overheads, ScheduleKind kind,
                 int workers, std::uint64_t seed);

  void add(const amr::TraceWindow& window);
  void add(const amr::TraceSpan& span);
  /// The prediction from all that was added.
  Prediction prediction() const;

 private:
  class Phase;
  class Dataflow;

  void by_dataflow(const amr::TraceWindow& window);
  void by_level(const Phase& phase);
  void by_static_parts(const Phase& phase);
  int part_of(const Phase& phase, std::size_t slot) const;
  void count_updates(const amr::TracePhase& phase, int worker, std::uint32_t patches);
  void close_books();

  const amr::Trace& trace_;
  const Overheads& overheads_;
  ScheduleKind kind_;
  int workers_;
  double piece_ns_;  ///< overhead of a piece
  StealingWorkers stealing_;
  double now_ = 0.0;                        ///< the time of all windows and spans so far
  double busy_ = 0.0;                       ///< in pieces and parallel loops, of all workers
  std::vector<std::uint32_t> level_begin_;  ///< levels_of() the window
  std::vector<std::uint32_t> updates_;  ///< patches advanced: of the window's base steps by worker
  std::int32_t first_step_ = 0;
  double sum_of_largest_ = 0.0;
  double sum_of_means_ = 0.0;
};

}  // namespace kumiko::model
