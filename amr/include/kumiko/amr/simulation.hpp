// The driver of a run: builds the mesh, takes base steps, regrids, and can be saved and gone on
// with.
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
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/partition.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/amr/simulation_options.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/amr/statistics.hpp>
#include <kumiko/amr/step_error.hpp>
#include <kumiko/amr/trace.hpp>

namespace kumiko::amr {

/// Whether ghosts at coarse–fine boundaries can be interpolated in this way with a solver.
bool is_possible(const SolverTraits& traits, TimeInterpolation interpolation);

/// The time interpolation that suits a solver best: along characteristics where it can follow them,
/// else the parabola where it gives its tendency, else the line.
TimeInterpolation suited_time_interpolation(const SolverTraits& traits);

/// Checks what a Simulation checks before it builds anything, in O(1). Throws as its constructor
/// does.
/// \param owners  that would share the mesh
void check(const Case& problem, const Solver& solver, const SimulationOptions& options,
           int owners = 1);

/// Steps a case with a solver on a backend, with subcycling (Berger & Oliger 1984) or without.
/// Keeps references to all three, and to the owner: they must outlive it.
///
/// Where several owners share the mesh, each makes a Simulation with the same arguments but for the
/// backend, which has a runtime. Owner 0 *directs*: what its Simulation is called to do the others
/// do with it, in follow(); the bits are those of one. What they find out is in its Simulation, of
/// all owners; workers are numbered through, owner by owner. Patches are dealt out anew where some
/// owner has taken 10 % more seconds than the mean, at two regrids in a row.
class Simulation {
 public:
  /// Checks the request and builds the initial mesh and state.
  /// Throws std::invalid_argument when the parts do not fit together (components, time
  /// interpolation, sizes), DeclarationError among them, CflError when the first step outruns the
  /// ghosts.
  Simulation(const Case& problem, const Solver& solver, Backend& backend,
             const SimulationOptions& options, Owner& owner = sole_owner());

  /// Goes on with a run that was saved. Case, solver and options should be that run's; backend,
  /// schedule, workers, steps and refinement may differ, and so may the number of levels: at least
  /// as many as have patches. Where it has a source, each owner reads the values of its own
  /// patches, here. Throws as the other constructor, and std::invalid_argument when the saved run
  /// does not fit the options or contradicts itself; the message names what.
  Simulation(const Case& problem, const Solver& solver, Backend& backend,
             const SimulationOptions& options, const SavedRun& saved, Owner& owner = sole_owner());
  /// Owner 0's ends the others' follow(), unless one of its members has thrown; it waits for them.
  ~Simulation();

  /// Does what owner 0's Simulation is called to do next, for another owner. \return false when
  /// that Simulation ends. Throws what owner 0's member throws, or cluster::RankLost.
  /// \param take  gets this owner's records where owner 0 calls save_share(), which waits for it
  bool follow(const std::function<void(SavedRecords&& records)>& take = {});

  /// Takes base steps: `steps` of them, or fewer if it reach()es `until` or ends before, where it
  /// chooses its steps by a CFL number; one at least, unless it has ended. No bit of the state
  /// depends on where calls end.
  /// Throws CflError when an unsteady velocity, or a finer patch of a steady one, has a CFL number
  /// that the ghosts cannot serve, DeclarationError when no step would do. A run that chooses its
  /// steps goes back instead and takes a shorter one; it throws std::runtime_error when none is
  /// short enough. The run cannot go on then.
  void advance(int steps, double until = std::numeric_limits<double>::infinity());
  /// The latest time to which the state is to be the nearest one: half a base step beyond time(),
  /// as far as the next step is as long. Where steps end at given times, time() and what counts as
  /// the same time.
  double reach() const;
  /// When the run ends: SimulationOptions::end_time, or the case's.
  double end_time() const;
  /// Whether the run has come to its end.
  bool is_over() const;
  /// Whether the state is that after step(), so that it can be saved: not after an advance() that
  /// has thrown, unless a copy of the state was kept.
  bool is_whole() const;

  /// Begins to record who does which piece of work when; to be called between calls of advance(). A
  /// trace that is being recorded is forgotten. Costs some 10 ns a piece while it lasts, and 32
  /// bytes of memory, which stand beside the trace while that is made; nothing when it is over. Of
  /// a shared mesh each owner keeps its own pieces.
  /// \param most_bytes  of the finished trace, some 110 a piece; stretches are recorded as long as
  ///     they are sure to fit
  void start_trace(std::size_t most_bytes = kMostTraceBytes);
  static constexpr std::size_t kMostTraceBytes = std::size_t{2} << 30U;
  /// Whether there was no room for the stretch that came last: it and those after it are not part
  /// of the trace.
  bool trace_is_full() const;
  /// Ends the recording and returns what was recorded, all but Trace::case_name; empty without
  /// start_trace(). To be called between calls of advance(), or after a failed one, whose last
  /// stretch is left out. O(pieces); here the edges are made. Throws std::bad_alloc without memory
  /// for them; the trace is then lost, and the run may go on. Of a shared mesh owner 0 gets the
  /// pieces of all workers, who are numbered through, owner by owner; a trace is lost when the run
  /// fails.
  Trace stop_trace();

  /// What each worker does now. From any OS thread and at any time, while advance() runs too; costs
  /// the workers nothing.
  std::vector<WorkerActivity> activity() const;

  /// The run as it stands, copied on the backend's workers; not to be called while advance() runs.
  /// Where several owners share the mesh, all values come to owner 0. O(points).
  SavedRun save() const;
  /// Saves as save() does, with kExtraNames in every record. Computes the indicator of all
  /// patches.
  SavedRun save_with_extras() const;
  /// Saves with all owners, of whom each gets its range of record_ranges(), and no other records:
  /// owner 0's are returned, the others' are where follow() hands them by then. Meanwhile each
  /// holds the records of its own patches, too, that others get.
  SavedShare save_share(bool with_extras) const;

  /// amr::field_figures() of the state as it stands.
  FieldFigures field_figures() const;
  /// amr::error_norms() against the case's exact solution.
  std::optional<ErrorNorms> error_norms() const;
  /// amr::state_hash().
  std::string state_hash() const;
  /// amr::check_finite(), which throws NonFiniteError.
  void check_finite() const;

  /// Of all owners' backends.
  int workers() const;
  /// Of each owner's; those of owner 0 are numbered first.
  const std::vector<int>& workers_by_owner() const;
  /// Patches that got another owner so far; those of a mesh that is built count too.
  std::uint64_t moved_patches() const;
  /// Seconds that a base step is expected to take of each patch: by what it takes here to advance
  /// one of this owner's, which is tried out for some 0.5 ms, or once, and by the solver's weights.
  /// Ghosts, restriction and waiting are not in it. Nothing where this owner has no patch. Asks
  /// nobody else; to be called between calls of advance().
  std::optional<ByPatch<double>> expected_seconds() const;
  /// The order in which patches take their steps: "level" or "dataflow".
  std::string_view schedule() const;
  int step() const;
  /// The base step before which the mesh is rebuilt next; 0 = never. A part of the run's state.
  int next_regrid() const;
  /// With an automatic interval, the first base step here within which the flow may carry a feature
  /// out of the buffer, since no regrid comes soon enough; nothing where there was none.
  std::optional<int> buffer_outrun_at() const;
  /// Time reached; where the number of steps is given, step() × dt().
  double time() const;
  /// Length of the base steps: the latest choice, where the run chooses them.
  double dt() const;
  const SimulationOptions& options() const;
  /// Whose part of the mesh this simulation has.
  Owner& owner() const;
  const Hierarchy& hierarchy() const;
  const WorkCounters& counters() const;
  /// Patches that tags asked for at the latest regrid and that nesting did not allow.
  std::size_t unnested_patches() const;
  /// What the mesh and the steppers hold in memory; stacks of threads are not counted. O(patches).
  MemoryUse memory_use() const;
  /// What the workers did in the latest base steps, oldest first; 4096 of them at most.
  const std::deque<BaseStepLoad>& recent_steps() const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace kumiko::amr
