// What a recorded run would take on other numbers of workers, under other schedules.
//
// The pieces of work of a trace, with the times that they took and what each waited for, are done
// again by P workers, in one of four ways:
//
//   dataflow  as DataflowSchedule and the runtime do it. Patches that follow one another are a
//             block, which takes its pieces of a phase together, and every block has a home, an
//             equal part of each level's blocks in order. Whoever has done a piece goes on with the
//             first of its own blocks that this made ready, and sends the others to their homes'
//             queues. Then comes its queue, the oldest first; then it steals the oldest of
//             another's queue, beginning to look at a random worker.
//   level     as the same backend steps level by level: phase after phase in the trace's order,
//             each in equal parts by worker, halved recursively as runtime::for_each_index() does,
//             with the same stealing.
//   static    as backend `pthread`: equal strips in y, by the patches' centres.
//   openmp    as backend `openmp` without OMP_SCHEDULE: equal parts of each level's patches. Traces
//             do not name that variable: one that was recorded under OMP_SCHEDULE=dynamic is taken
//             for one of equal parts, and tells their overheads wrongly.
//
// Spans between stretches: recorded with W workers, their parallel loops take W/P of their time,
// the rest all of it.
//
// What the model does not contain: a piece takes as long as it did when it was recorded, and if one
// worker did all, a little more beside a second one (Overheads::beside), the same beside the third
// and the last. So there is no memory bandwidth, no cache that is warm for one worker and cold for
// another, no NUMA, no clock that falls when many cores work, and
// nobody else on the machine. What one schedule does and another need not (filling ghosts that
// nobody reads, in level-synchronous blending) is there only if it was recorded. Overheads are
// averages. Predictions far beyond the workers that were recorded show what the graph of patches
// allows, not what a machine will do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <kumiko/amr/trace.hpp>

namespace kumiko::model {

enum class ScheduleKind : std::uint8_t { kDataflow, kLevel, kStatic, kOpenMp };

inline constexpr std::array<ScheduleKind, 4> kScheduleKinds = {
    ScheduleKind::kDataflow, ScheduleKind::kLevel, ScheduleKind::kStatic, ScheduleKind::kOpenMp};

/// Its place in kScheduleKinds, and in what there is of each.
constexpr std::size_t index_of(ScheduleKind kind) { return static_cast<std::size_t>(kind); }

/// "dataflow", "level", "static", "openmp".
std::string_view to_string(ScheduleKind kind);

/// What is paid besides the pieces, in nanoseconds.
struct Overhead {
  double ns = 0.0;
  bool measured = false;  ///< in a trace; else a default, unless
  bool given = false;     ///< somebody has set it
};

/// All of it. The defaults are what this engine took where it was developed (docs/decisions/017).
struct Overheads {
  /// Passes between a piece and the next one of the same worker that is ready; by schedule.
  std::array<Overhead, kScheduleKinds.size()> piece = {{{40.0}, {70.0}, {42.0}, {35.0}}};
  /// Is added to `piece` where several work and the trace is of one worker, for data that moves
  /// between caches; by schedule. Less than nothing where each keeps its patches in a cache of its
  /// own.
  std::array<Overhead, kScheduleKinds.size()> beside = {{{10.0}, {25.0}, {-35.0}, {-35.0}}};
  /// Passes between two phases, whoever works; by schedule. Dataflow has no phases.
  std::array<Overhead, kScheduleKinds.size()> phase = {{{0.0}, {600.0}, {550.0}, {1100.0}}};
  /// Added to `phase` for each doubling of the number of workers: the cost of OS threads' barriers.
  Overhead barrier{550.0};
  /// Passes from a thief's asking a worker that has something until the thief begins with it.
  Overhead steal{300.0};
  /// Is what it takes to look at a worker that has nothing.
  Overhead look{30.0};

  const Overhead& piece_of(ScheduleKind kind) const { return piece[index_of(kind)]; }
  const Overhead& beside_of(ScheduleKind kind) const { return beside[index_of(kind)]; }
  const Overhead& phase_of(ScheduleKind kind) const { return phase[index_of(kind)]; }
};

/// What a trace tells of the overheads of the schedule that it was recorded with; the others are
/// the defaults. O(pieces log pieces + successors).
///   piece  mean of the gaps between pieces of a worker where the next was ready, not stolen, and,
///          level by level, of the same phase; without the longest hundredth, when the system gave
///          the core to somebody else
///   phase  level by level: median time from a phase's last end to the next phase's first begin,
///          less the above; of several OS threads this is their barrier
///   steal  dataflow with several workers: median time from when a stolen piece was ready and its
///          thief free until it began
Overheads estimate_overheads(const amr::Trace& trace);

/// The share in the time of all pieces of those that took more than 20 times the median of their
/// level and kind, from 0 to 1: the system has probably given their core to somebody else
/// meanwhile. O(pieces).
double disturbed_share(const amr::Trace& trace);

/// What a piece of one and the same work takes on average, with what passes until the next one, in
/// nanoseconds; both without the longest hundredth.
struct PieceTimes {
  ScheduleKind kind = ScheduleKind::kDataflow;
  double alone_ns = 0.0;   ///< of the only worker
  double beside_ns = 0.0;  ///< of one of several
};

/// Compares a trace of one worker with one of the same base steps by several, and sets what the
/// latter tells of its schedule: `beside`, which takes away the overhead of a piece at most, a
/// steal, a barrier.
/// \param overheads  of the trace of one worker
/// Throws std::invalid_argument, saying why, if one is not of one worker, the other not of several,
/// or their pieces are not the same. O(pieces log pieces + successors).
PieceTimes compare_pieces(const amr::Trace& alone, const amr::Trace& several, Overheads& overheads);

/// What no schedule can beat, in seconds.
struct WorkBounds {
  double work = 0.0;  ///< T1: all pieces, and what lies between stretches
  /// Tinf: the longest chains of pieces that wait for each other, of the stretches one after the
  /// other, and what of the spans between is in no parallel loop.
  double critical_path = 0.0;

  /// How many workers could be busy on average.
  double parallelism() const { return critical_path > 0.0 ? work / critical_path : 1.0; }
  /// The larger of work / workers and the critical path.
  double at(int workers) const;
};

/// What one schedule makes of a trace on so many workers.
struct Prediction {
  ScheduleKind kind = ScheduleKind::kDataflow;
  int workers = 1;
  double seconds = 0.0;
  /// The share of the workers' time that goes into pieces and parallel loops.
  double utilisation = 0.0;
  /// As WorkCounters::imbalance(): from the point updates of each base step; 1 is
  /// perfect, more is worse.
  double imbalance = 0.0;
  std::uint64_t steals = 0;
};

/// Replays one trace. Keeps a reference to it.
class ScheduleModel {
 public:
  static constexpr int kMostWorkers = 65536;

  /// \param trace  has passed amr::check()
  /// \param seed   for whom thieves ask first; same seed, same predictions
  /// Throws std::invalid_argument for a trace without pieces.
  ScheduleModel(const amr::Trace& trace, const Overheads& overheads, std::uint64_t seed = 1);

  const WorkBounds& bounds() const { return bounds_; }

  /// Throws std::invalid_argument for less than one worker or more than kMostWorkers.
  /// O(pieces log workers + successors + phases × workers).
  Prediction predict(ScheduleKind kind, int workers) const;

 private:
  const amr::Trace& trace_;
  Overheads overheads_;
  std::uint64_t seed_;
  WorkBounds bounds_;
};

}  // namespace kumiko::model
