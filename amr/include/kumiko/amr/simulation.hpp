// A run: builds the mesh, advances it, keeps count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <kumiko/amr/activity.hpp>
#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/case.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/refinement_options.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/amr/statistics.hpp>
#include <kumiko/amr/trace.hpp>

namespace kumiko::amr {

/// How a coarse–fine ghost is had between the coarse level's times (docs/reference/numerics.md).
enum class TimeInterpolation {
  kCharacteristic,  ///< the coarse state at the coarse time, traced back along the flow
  kLinear,          ///< between the coarse states at the coarse step's start and end
  kQuadratic        ///< the parabola of those two and the solver's tendency at the start
};

/// As step.time_interpolation names it.
const char* to_string(TimeInterpolation interpolation);

/// Whether ghosts at coarse–fine boundaries can be had so with a solver.
bool is_possible(const SolverTraits& traits, TimeInterpolation interpolation);

/// What suits a solver best: characteristics where they can be traced, else the parabola where the
/// solver gives its tendency, else the line.
TimeInterpolation suited_time_interpolation(const SolverTraits& traits);

/// In which order patches take their steps. The results are the same, bit for bit.
enum class Schedule {
  kAuto,      ///< dataflow where the backend has threads, else level
  kDataflow,  ///< every patch as soon as its neighbours are ready; no barrier within a base step
  kLevel      ///< level by level, all patches of one before the next
};

struct SimulationOptions {
  int points_x = 256;  ///< of level 0
  int points_y = 256;
  int levels = 3;    ///< 1 = uniform
  int steps = 2560;  ///< base steps of the whole run: they fix the step
  Schedule schedule = Schedule::kAuto;
  /// Whether level l takes 2^l steps in a base step. Else every level takes one, which the CFL
  /// number of the finest level limits, and no ghost is ever needed between a coarse level's times.
  bool subcycling = true;
  TimeInterpolation time_interpolation = TimeInterpolation::kCharacteristic;
  RefinementOptions refinement;
};

/// The step would carry information further than the ghosts reach.
class CflError : public std::runtime_error {
 public:
  CflError(const std::string& message, std::int64_t smallest_steps)
      : std::runtime_error(message), smallest_steps_(smallest_steps) {}
  /// The smallest time.steps that would do for the patch and the time at which it was seen first;
  /// other patches and later times may ask for more.
  std::int64_t smallest_steps() const { return smallest_steps_; }

 private:
  std::int64_t smallest_steps_;
};

/// A solver declares what the engine cannot serve, whatever the case and the options, or has CFL
/// numbers that no step makes small enough.
class DeclarationError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Steps a case with a solver on a backend, with subcycling (Berger & Oliger 1984) or without.
/// Keeps references to all three: they must outlive it.
class Simulation {
 public:
  /// Checks the request and builds the initial mesh and state.
  /// Throws std::invalid_argument when the parts do not fit together (components, time
  /// interpolation, sizes), DeclarationError among them, CflError when the first step outruns the
  /// ghosts.
  Simulation(const Case& problem, const Solver& solver, Backend& backend,
             const SimulationOptions& options);

  /// Goes on with a run that was saved. Case, solver and options should be that run's; backend,
  /// schedule, workers and refinement may differ, and levels: as many as have patches at least, and
  /// more than one only if it had more.
  /// Throws as the other constructor, and std::invalid_argument when the saved run does not fit
  /// the options or contradicts itself; the message names what.
  Simulation(const Case& problem, const Solver& solver, Backend& backend,
             const SimulationOptions& options, const SavedRun& saved);
  ~Simulation();

  /// Takes `steps` base steps. Throws CflError when an unsteady velocity, or a finer patch of a
  /// steady one, has a CFL number that the ghosts cannot serve, DeclarationError when no step would
  /// do; the run cannot go on then: levels may stand at different times.
  void advance(int steps);

  /// Begins to record who does which piece of work when, between calls of advance(). A trace that
  /// is being recorded is forgotten. Costs some 0.15 µs a piece while it lasts, plus a look at the
  /// worker's queues and at the I/O's counter, and the memory of some 100 bytes a piece; nothing
  /// when it is over.
  /// @param most_bytes  of the finished trace. Stretches are recorded as long as they fit. Arrays
  ///     double as they grow, and the graphs of the mesh stand beside them until the edges are
  ///     made: up to twice as much may be in use for a while.
  void start_trace(std::size_t most_bytes = kMostTraceBytes);
  static constexpr std::size_t kMostTraceBytes = std::size_t{2} << 30U;
  /// Whether there was no room for the stretch that came last: it and those after it are not part
  /// of the trace.
  bool trace_is_full() const;
  /// Ends the recording and returns what was recorded, all but Trace::case_name; empty without
  /// start_trace(). Between calls of advance(), or after a failed one, whose last stretch is left
  /// out. O(pieces); here the edges are made. Throws std::bad_alloc when there is no room for them;
  /// the trace is then lost, and the run may go on.
  Trace stop_trace();

  /// What each worker does now. From any OS thread and at any time, while advance() runs too; costs
  /// the workers nothing.
  std::vector<WorkerActivity> activity() const;

  /// The run as it stands, copied on the backend's workers. Not while advance() runs. O(points).
  SavedRun save() const;
  /// The same with kFigureNames in every record. Computes the indicator of all patches.
  SavedRun save_with_figures() const;

  int step() const;
  /// The base step before which the mesh is rebuilt next; 0 = never. A part of the run's state.
  int next_regrid() const;
  /// Time reached: step() × (end_time ÷ steps), not accumulated.
  double time() const;
  double dt() const;
  const SimulationOptions& options() const;
  const Hierarchy& hierarchy() const;
  const WorkCounters& counters() const;
  /// Patches that tags asked for at the latest regrid and that nesting did not allow.
  std::size_t unnested_patches() const;
  /// What the mesh and the steppers hold in memory; stacks of threads are not counted. O(patches).
  MemoryUse memory_use() const;
  /// What the workers did in the latest base steps, oldest first; 4096 of them at most.
  const std::deque<BaseStepLoad>& recent_steps() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace kumiko::amr
