// A recorded part of a run: which worker did which piece of work when, and what each piece waited
// for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/patch_id.hpp>
#include <kumiko/amr/statistics.hpp>

namespace kumiko::amr {

/// The kinds of work on a patch in a step; not every patch needs all of them.
enum class PieceKind : std::uint8_t {
  kAdvance,  ///< fills the ghosts and computes the next state: the step's point updates
  kBlend,    ///< fills the next state's ghosts, for finer patches to interpolate from
  kFinish    ///< takes over the results of finer patches
};

/// "advance", "blend", "finish".
std::string_view to_string(PieceKind kind);

/// The value that means no piece.
inline constexpr std::uint32_t kNoPiece = UINT32_MAX;

/// One piece of work on a patch, which one worker did without a pause.
struct TracePiece {
  std::int64_t begin_ns = 0;  ///< since the trace began
  std::int64_t end_ns = 0;    ///< as begin_ns
  std::uint32_t patch = 0;    ///< index in Trace::patches
  std::uint32_t phase = 0;    ///< index in Trace::phases
  std::int32_t worker = -1;   ///< the worker that did it
  std::uint32_t awaited =
      kNoPiece;  ///< the piece that it waited for and that ended last, if another worker did it
  WaitCause cause = WaitCause::kSibling;  ///< why it waited for that piece
  std::uint32_t steals = 0;    ///< threads that the worker took from others since its last piece
  std::int32_t runnable = -1;  ///< threads ready with this worker at its begin; -1: not known
  std::int32_t io_in_flight =
      -1;  ///< number of the run's I/O operations in progress then; -1: not known
};

/// The pieces of one kind and step of a level: one parallel loop of level-synchronous stepping.
struct TracePhase {
  std::int32_t base_step = 0;
  std::int32_t level = 0;
  std::int32_t number = 0;  ///< the level's step since the window began
  PieceKind kind = PieceKind::kAdvance;
  std::uint32_t first_piece = 0;  ///< its pieces, in the order of their patches
  std::uint32_t end_piece = 0;
};

/// A patch of a window's mesh. Two are compared by their ids alone.
struct TracePatch : PatchId {
  std::int32_t rank = -1;  ///< that held it; -1: not known
};

/// A recorded window: base steps in which the mesh does not change and the workers need not stop
/// together.
struct TraceWindow {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t first_step = 0;    ///< base step
  std::int32_t steps = 0;         ///< how many
  std::uint32_t first_phase = 0;  ///< its phases, in the order of level-synchronous stepping
  std::uint32_t end_phase = 0;
  std::uint32_t first_patch = 0;  ///< its mesh: by level, j, then i
  std::uint32_t end_patch = 0;
};

/// Work of the run between windows.
struct TraceSpan {
  std::string what;  ///< "regrid", "check" or "output"
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t base_step = 0;  ///< the base step before which it was done
  std::int64_t loops_ns = 0;   ///< the part of its time in parallel loops over patches
};

/// The pieces of work of a run's window of steps, each with the piece that it waited for, if there
/// is one. A piece waits for pieces of its own window only, and these stand before it in the order
/// of `pieces`: that of level-synchronous stepping.
struct Trace {
  std::string case_name;
  std::string solver;
  std::string backend;   ///< as --backend names it
  std::string schedule;  ///< "dataflow" or "level"
  std::int32_t workers = 1;
  std::int32_t points_x = 0;  ///< of level 0
  std::int32_t points_y = 0;
  std::int32_t levels = 1;
  bool subcycling = true;
  std::int64_t end_ns = 0;  ///< when the trace ended

  std::vector<TracePatch> patches;
  /// The block of each patch, numbered within its level: patches that one thread of the dataflow
  /// schedule steps together. Empty if patches were assigned one by one.
  std::vector<std::int32_t> blocks;
  std::vector<TraceWindow> windows;  ///< in the order of time, as phases and spans
  std::vector<TracePhase> phases;
  std::vector<TracePiece> pieces;
  std::vector<TraceSpan> spans;
  /// The pieces that wait for piece p: successors[successors_begin[p] .. successors_begin[p + 1] -
  /// 1], each once.
  std::vector<std::uint64_t> successors_begin;  ///< pieces.size() + 1 of them
  std::vector<std::uint32_t> successors;

  std::span<const std::uint32_t> successors_of(std::uint32_t piece) const {
    return std::span(successors)
        .subspan(successors_begin[piece], successors_begin[piece + 1] - successors_begin[piece]);
  }
};

/// Throws std::invalid_argument with the reason if a trace is inconsistent: indices beyond their
/// arrays, times that run backwards, patches outside the domain or out of order, a piece that waits
/// for a later one, an unknown worker, more base steps than pieces. O(pieces + successors).
void check(const Trace& trace);

}  // namespace kumiko::amr
