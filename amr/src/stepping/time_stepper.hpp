// Takes all levels through base steps, level by level or by dataflow.
#pragma once

#include <vector>

#include <kumiko/amr/simulation_options.hpp>

#include "ghosts/ghost_exchange.hpp"
#include "observation/trace_recorder.hpp"
#include "observation/work_ledger.hpp"
#include "schedule/patch_graph.hpp"
#include "schedule/phase_order.hpp"
#include "stepping/dataflow.hpp"
#include "stepping/first_failure.hpp"
#include "stepping/patch_stepper.hpp"
#include "stepping/piece_runner.hpp"

namespace kumiko::amr {

/// Subcycling after Berger & Oliger (J. Comput. Phys. 53, 1984), ratio 2; without it all levels
/// take the same steps. Level-synchronous: every phase is one parallel loop over the patches of one
/// level, and the next starts when all are done. Dataflow: see DataflowStepper. Both give the same
/// bits.
class TimeStepper {
 public:
  /// Throws std::invalid_argument when the backend cannot step as options.schedule says.
  /// All owners of a shared mesh take the same steps, and fail with the same text.
  TimeStepper(Hierarchy& hierarchy, const Case& problem, const Solver& solver, Backend& backend,
              const GhostExchange& exchange, const SimulationOptions& options,
              Owner& owner = sole_owner());

  /// Prepares the coefficients of patches that came to a level at a time; to be called after every
  /// change of a level.
  /// Throws CflError when a patch's CFL number exceeds the solver's limit.
  void prepare(int level, const std::vector<std::size_t>& slots, double time);

  /// Takes all levels through base steps first .. first + count - 1. With an unsteady velocity it
  /// throws CflError as prepare() does; the levels then stand at different times.
  void advance(int first, int count);

  /// CFL number of each patch's step that was prepared last.
  PatchTable<double>& cfl() { return patches_.cfl(); }
  const PatchTable<double>& cfl() const { return patches_.cfl(); }

  void count_regrid() { ledger_.count_regrid(); }
  /// Goes on with the counts of a saved run. Before the first step.
  void resume(const WorkCounters& counters) { ledger_.resume(counters); }
  const WorkLedger& ledger() const { return ledger_; }
  TraceRecorder& recorder() { return recorder_; }
  const TraceRecorder& recorder() const { return recorder_; }
  bool by_level() const { return by_level_; }
  /// The bytes that are kept for the patches beside the hierarchy.
  std::size_t metadata_bytes() const { return graph_bytes_; }

 private:
  void step_levels(const PhaseOrder& order, int count);
  void phase(PieceKind kind, const LevelStep& step);
  std::uint64_t count_levels(int count);
  void end_on_failure();

  Hierarchy& hierarchy_;
  Backend& backend_;
  Owner& owner_;
  PatchStepper patches_;
  bool by_level_;
  WorkLedger ledger_;
  FirstFailure failures_;
  PatchGraph graph_;  ///< of the latest window, when stepping without barriers or for a trace
  std::size_t graph_bytes_ = 0;  ///< of the latest window's graph; 0 with barriers
  TraceRecorder recorder_;
  PieceRunner pieces_;
  DataflowStepper dataflow_;
};

}  // namespace kumiko::amr
