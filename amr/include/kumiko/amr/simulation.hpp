// The driver of a run: builds the mesh, takes base steps, regrids, saves, and continues from what
// was saved.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/activity.hpp>
#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/case.hpp>
#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/field_probes.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/initial_state.hpp>
#include <kumiko/amr/partition.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/amr/simulation_options.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/amr/statistics.hpp>
#include <kumiko/amr/step_error.hpp>
#include <kumiko/amr/trace.hpp>

namespace kumiko::amr {

/// True if a solver allows ghosts at coarse–fine boundaries to be interpolated in this way.
bool is_possible(const SolverTraits& traits, TimeInterpolation interpolation);

/// The time interpolation that suits a solver best: along characteristics where it can follow them,
/// else the parabola where it gives its tendency, else the line.
TimeInterpolation suited_time_interpolation(const SolverTraits& traits);

/// Makes the checks that a Simulation makes before it builds anything, and those of its regions and
/// of the case's refinement indicator, which is called once for a field of zeros. In O(1). Throws
/// as its constructor does.
/// \param ranks  the number of ranks that would share the mesh
void check(const Case& problem, const Solver& solver, const SimulationOptions& options,
           int ranks = 1);

/// Values at the points of Simulation::watch() after a base step.
struct WatchedValues {
  std::size_t set = 0;  ///< as watch() has returned it
  int step = 0;
  double time = 0.0;
  std::vector<std::vector<double>> values;  ///< [component][point]
};

/// Steps a case with a solver on a backend, with subcycling (Berger & Oliger 1984) or without.
/// Keeps references to all three and to the rank, which must outlive it.
///
/// Where several ranks share the mesh, each makes a Simulation with the same arguments, except for
/// the backend, which must have a runtime. Rank 0 *directs*: each member that needs all ranks is
/// called on rank 0, and the others take part from within follow(). Rank 0 gets the results of
/// all; workers are numbered rank by rank. All bits are those of a run with one rank. Patches
/// move to other ranks if one rank has needed 10 % more seconds than the mean at two regrids in a
/// row.
class Simulation {
 public:
  /// Checks the request and builds the initial mesh and state.
  /// Throws std::invalid_argument when the parts do not fit together (components, time
  /// interpolation, sizes), DeclarationError among them, CflError when the first step outruns the
  /// ghosts.
  Simulation(const Case& problem, const Solver& solver, Backend& backend,
             const SimulationOptions& options, Communicator& communicator = single_rank());

  /// Continues a saved run. Case, solver and options should be those of that run; backend,
  /// schedule, workers, steps and refinement may differ, and so may the number of levels, as long
  /// as every level with patches has its place. If the saved run has a source, each rank reads the
  /// values of its own patches here. Throws as the other constructor, and std::invalid_argument
  /// when the saved run contradicts the options or itself; the message names the item.
  Simulation(const Case& problem, const Solver& solver, Backend& backend,
             const SimulationOptions& options, const SavedRun& saved,
             Communicator& communicator = single_rank());
  /// Begins a new run with a stored state in place of the case's initial field, as InitialState
  /// says. The case, the solver, the grid and all options may be others than those of the state;
  /// domain and components may not. Each rank reads the values of its own patches here, or on
  /// another grid than the state's all values. Throws as the first constructor, and
  /// std::invalid_argument when the state does not fit the case.
  Simulation(const Case& problem, const Solver& solver, Backend& backend,
             const SimulationOptions& options, const InitialState& initial,
             Communicator& communicator = single_rank());
  /// On rank 0, makes the other ranks' follow() return and waits for them, unless a member
  /// function has thrown.
  ~Simulation();

  /// On another rank than 0, takes part in the next member function that is called on rank 0.
  /// \return false when rank 0's Simulation ends. Throws what rank 0's member throws, or
  /// cluster::RankLost.
  /// \param take  receives this rank's records when rank 0 calls save_share(), which waits for it
  bool follow(const std::function<void(SavedRecords&& records)>& take = {});

  /// Takes `steps` base steps. A run that chooses its steps by a CFL number takes fewer if it
  /// reach()es `until` or its end before, and at least one unless it has ended. No bit of the state
  /// depends on where calls end.
  /// Throws CflError when a CFL number outruns the ghosts, by an unsteady velocity or on a finer
  /// patch of a steady one; DeclarationError when no step would be short enough. A run that chooses
  /// its steps goes back instead and takes a shorter one; it throws std::runtime_error when none is
  /// short enough. After an exception the run cannot continue.
  void advance(int steps, double until = std::numeric_limits<double>::infinity());
  /// Has advance() call `hook` after each base step that is a multiple of `every`, on rank 0, with
  /// this simulation. The state is committed: the run never goes back behind it. The hook may call
  /// every const member; what it throws leaves advance(), and the run may continue. No bit depends
  /// on hooks, but base steps overlap less. Replaces an earlier hook; an empty one ends it.
  void after_steps(int every, std::function<void(const Simulation&)> hook);
  /// The latest time for which this state is the nearest of the run: half a base step beyond
  /// time(), if the next step is as long as the latest. Where steps end at given times, time()
  /// itself, up to rounding.
  double reach() const;
  /// The time at which the run ends: SimulationOptions::end_time, or the case's.
  double end_time() const;
  /// True if the run has come to its end.
  bool is_over() const;
  /// True if the state is that after step(), so that it can be saved. False after an advance() that
  /// has thrown, unless a copy of the state was kept.
  bool is_whole() const;

  /// Starts to record a trace: which worker does which piece of work when. To be called between
  /// calls of advance(). Discards a trace that is being recorded. Costs about 10 ns and 32 bytes a
  /// piece while it lasts; these bytes are needed in addition to the trace while that is made. Each
  /// rank of a shared mesh keeps its own pieces.
  /// \param most_bytes  the limit of the finished trace, at about 110 bytes a piece; windows are
  ///     recorded as long as they are sure to fit
  void start_trace(std::size_t most_bytes = kMostTraceBytes);
  static constexpr std::size_t kMostTraceBytes = std::size_t{2} << 30U;
  /// True if the trace is full; the latest window and all later ones are missing from it.
  bool trace_is_full() const;
  /// Ends the recording and returns the trace, without Trace::case_name; empty without
  /// start_trace(). To be called between calls of advance(), or after a failed one, whose last
  /// window is left out. O(pieces), since the edges are made here. Throws std::bad_alloc if they
  /// do not fit into memory; the trace is then lost, and the run may continue. Rank 0 of a shared
  /// mesh gets the pieces of all workers, numbered rank by rank; the trace is lost when the run
  /// fails.
  Trace stop_trace();

  /// The present activity of each worker. From any OS thread and at any time, also while advance()
  /// runs; costs the workers nothing.
  std::vector<WorkerActivity> activity() const;

  /// A copy of the run, made on the backend's workers; not to be called while advance() runs. Rank
  /// 0 of a shared mesh gets all values. O(points).
  SavedRun save() const;
  /// As save(), with kExtraNames in every record. Computes the indicator of all patches.
  SavedRun save_with_extras() const;
  /// Saves with all ranks; each gets its range of record_ranges() and no other records. Rank 0
  /// returns its own, after follow() has handed the others theirs. While this runs, each rank also
  /// holds the records of those of its patches that go to others.
  SavedShare save_share(bool with_extras) const;

  /// amr::field_figures() of the present state.
  FieldFigures field_figures() const;
  /// The field's values at points of the domain, its sides included: result[component][point].
  /// Each is taken from the finest patch that covers the point, to which a patch's lower and left
  /// side belong. Nodes: cubic interpolation on the 4×4 nodes around the point, ghosts among them,
  /// as the semi-Lagrangian step has it; fourth order, at a node its value. Cells: the average of
  /// the cell in which the point lies. Throws std::invalid_argument for a point outside the domain.
  /// Costs about 50 ns a point, and the ghosts of patches at whose edges points lie.
  std::vector<std::vector<double>> value_at(Points points) const;
  /// Has advance() keep the values at points, as value_at() gives them, after each base step that
  /// is a multiple of `every`, without a pause of the steps. \return the number of this set of
  /// points, from 0. Throws as value_at().
  std::size_t watch(Points points, int every);
  /// The values that have been kept since the last call, step by step; those of steps that a failed
  /// advance() has not completed are not among them.
  std::vector<WatchedValues> take_watched();
  /// amr::box_integrals().
  std::vector<double> box_integrals(const Rectangle& box) const;
  /// amr::extremes().
  std::vector<Extremes> extremes() const;
  /// amr::error_norms() against the case's exact solution.
  std::optional<ErrorNorms> error_norms() const;
  /// amr::state_hash().
  std::string state_hash() const;
  /// amr::check_finite(), which throws NonFiniteError.
  void check_finite() const;

  /// Workers of all ranks.
  int workers() const;
  /// Workers of each rank; those of rank 0 are numbered first.
  const std::vector<int>& workers_by_rank() const;
  /// Patches that have got another rank so far, also while the first mesh is built.
  std::uint64_t moved_patches() const;
  /// The seconds that each patch is expected to take of a base step, by a trial on one patch of
  /// this rank, which takes about 0.5 ms, and by the solver's weights. Ghosts, restriction and
  /// waiting are not included. Nothing where this rank has no patch. Communicates with no other
  /// rank; to be called between calls of advance().
  std::optional<ByPatch<double>> expected_seconds() const;
  /// The order in which patches take their steps: "level" or "dataflow".
  std::string_view schedule() const;
  /// Base steps taken.
  int step() const;
  /// The base step before which the mesh is rebuilt next; 0: never, or before the first one of a
  /// run that begins with the mesh of a stored state. Belongs to the run's state.
  int next_regrid() const;
  /// With an automatic interval, the first base step in which the flow may carry a feature out of
  /// the buffer, since no regrid comes soon enough; nothing if there was none.
  std::optional<int> buffer_outrun_at() const;
  /// The time reached; step() × dt() where the number of steps is given.
  double time() const;
  /// The length of the base steps; in a run that chooses them, of the latest choice.
  double dt() const;
  const SimulationOptions& options() const;
  /// The rank whose part of the mesh this simulation has.
  Communicator& communicator() const;
  const Hierarchy& hierarchy() const;
  const WorkCounters& counters() const;
  /// Patches that were tagged at the latest regrid but not allowed by nesting.
  std::size_t unnested_patches() const;
  /// Memory of the mesh and the steppers, without the stacks of threads. O(patches).
  MemoryUse memory_use() const;
  /// The loads of the latest base steps, oldest first; 4096 of them at most.
  const std::deque<BaseStepLoad>& recent_steps() const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace kumiko::amr
