// Predicts the time of a recorded run on other numbers of workers and with other schedules.
//
// The pieces of work of a trace, with the times that they took and what each waited for, are
// replayed by P workers, in one of four ways:
//
//   dataflow  as DataflowSchedule and the runtime do it. Patches that follow one another are a
//             block, which takes its pieces of a phase together, and every block has a home, an
//             equal part of each level's blocks in order. A worker that has done a piece continues
//             with the first of its own blocks that this made ready, and sends the others to the
//             queues of their homes. If there is none, it takes the oldest of its own queue, and
//             otherwise steals the oldest of another queue, beginning at a random worker.
//   level     as the same backend steps level by level: phase after phase in the trace's order,
//             each in equal parts by worker, halved recursively as runtime::for_each_index() does,
//             with the same stealing.
//   static    as backend `pthread`: equal strips in y, by the patches' centres.
//   openmp    as backend `openmp` without OMP_SCHEDULE: equal parts of each level's patches. Traces
//             do not record that variable: a trace made with OMP_SCHEDULE=dynamic is treated as one
//             of equal parts, so its overheads are wrong.
//
// Spans between windows: recorded with W workers, their parallel loops take W/P of their time,
// the rest all of it.
//
// Limits of the model: a piece takes as long as it did when it was recorded, and, if one worker did
// all, a little more with a second worker (Overheads::beside), and no more with a third or the
// last. So there is no memory bandwidth, no cache that is warm for one worker and cold for
// another, no NUMA, no clock rate that falls when many cores work, and no other program on the
// machine. Work that only some schedules do (such as filling ghosts that are not read, in
// level-synchronous blending) is included only if it was recorded. Overheads are averages.
// Predictions far beyond the workers that were recorded show what the graph of patches allows, not
// what a machine will do.
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

/// Its index in kScheduleKinds, and in arrays by schedule.
constexpr std::size_t index_of(ScheduleKind kind) { return static_cast<std::size_t>(kind); }

/// "dataflow", "level", "static", "openmp".
std::string_view to_string(ScheduleKind kind);

/// A cost in addition to the pieces, in nanoseconds.
struct Overhead {
  double ns = 0.0;
  bool measured = false;  ///< in a trace; otherwise a default, or set by the caller
};

/// All overheads. The defaults were measured with this engine on the machine on which it was
/// developed (docs/decisions/017).
struct Overheads {
  /// Time between a piece and the next ready one of the same worker; by schedule.
  std::array<Overhead, kScheduleKinds.size()> piece = {{{40.0}, {70.0}, {42.0}, {35.0}}};
  /// Added to `piece` if several workers are modelled from a trace of one worker, for data that
  /// moves between caches; by schedule. Negative if each worker keeps its patches in its own cache.
  std::array<Overhead, kScheduleKinds.size()> beside = {{{10.0}, {25.0}, {-35.0}, {-35.0}}};
  /// Time between two phases, independent of the workers; by schedule. Dataflow has no phases.
  std::array<Overhead, kScheduleKinds.size()> phase = {{{0.0}, {600.0}, {550.0}, {1100.0}}};
  /// Added to `phase` for each doubling of the number of workers: the cost of OS threads' barriers.
  Overhead barrier{550.0};
  /// Time from a thief's visit to a worker with ready pieces until the thief begins one.
  Overhead steal{300.0};
  /// Time of a visit to a worker without ready pieces.
  Overhead look{30.0};

  const Overhead& piece_of(ScheduleKind kind) const { return piece[index_of(kind)]; }
  const Overhead& beside_of(ScheduleKind kind) const { return beside[index_of(kind)]; }
  const Overhead& phase_of(ScheduleKind kind) const { return phase[index_of(kind)]; }
};

/// Measures the overheads of a trace's schedule; the other overheads are the defaults. O(pieces log
/// pieces + successors).
///   piece  mean of the gaps between pieces of a worker where the next was ready, not stolen, and,
///          level by level, of the same phase; without the longest hundredth, when the system gave
///          the core to another program
///   phase  level by level: median time from a phase's last end to the next phase's first begin,
///          less the above; of several OS threads this is their barrier
///   steal  dataflow with several workers: median time from when a stolen piece was ready and its
///          thief free until it began
Overheads estimate_overheads(const amr::Trace& trace);

/// The share in the time of all pieces of those that took more than 20 times the median of their
/// level and kind, from 0 to 1: the system has probably given their core to another program
/// meanwhile. O(pieces).
double disturbed_share(const amr::Trace& trace);

/// The mean time of the same pieces, including the time until the next piece, in nanoseconds,
/// without the longest hundredth of each.
struct PieceTimes {
  ScheduleKind kind = ScheduleKind::kDataflow;
  double alone_ns = 0.0;   ///< with one worker
  double beside_ns = 0.0;  ///< with several workers
};

/// Compares a trace of one worker with a trace of the same base steps by several workers, and sets
/// the overheads of the latter's schedule: `beside`, which reduces the time of a piece at most by
/// its overhead, steal and barrier.
/// \param overheads  overheads of the trace of one worker
/// Throws std::invalid_argument with the reason if the first trace is not of one worker, the second
/// not of several, or their pieces differ. O(pieces log pieces + successors).
PieceTimes compare_pieces(const amr::Trace& alone, const amr::Trace& several, Overheads& overheads);

/// Lower bounds for every schedule, in seconds.
struct WorkBounds {
  double work = 0.0;  ///< T1: all pieces, and the time between windows
  /// Tinf: the sum over the windows of their longest chains of pieces that wait for each other, and
  /// of the time between windows outside of parallel loops.
  double critical_path = 0.0;

  /// The number of workers that could be busy on average.
  double parallelism() const { return critical_path > 0.0 ? work / critical_path : 1.0; }
  /// The larger of work / workers and the critical path.
  double at(int workers) const;
};

/// The prediction for one schedule on a number of workers.
struct Prediction {
  ScheduleKind kind = ScheduleKind::kDataflow;
  int workers = 1;
  double seconds = 0.0;
  /// The share of the workers' time spent in pieces and parallel loops.
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
  /// \param seed  for the order of victims of thieves; the same seed gives the same predictions
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
