// A run: builds the mesh, advances it, keeps count.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/case.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::amr {

/// How a coarse–fine ghost is had between the coarse level's times (docs/numerics.md).
enum class TimeInterpolation {
  kCharacteristic,  ///< the coarse state at the coarse time, traced back along the flow
  kLinear           ///< between the coarse states at the coarse step's start and end
};

/// Löhner's indicator and what follows a tag.
struct RefinementOptions {
  double threshold = 0.1;
  double delta = 0.05;  ///< weight of the filter against ripples
  double floor = 0.01;  ///< times the largest |u| of the initial level 0, added to the denominator
  int buffer = 2;       ///< points of the tagged level by which tags grow
  int interval = 4;     ///< base steps between regrids
};

struct SimulationOptions {
  int points_x = 256;  ///< of level 0
  int points_y = 256;
  int levels = 3;    ///< 1 = uniform
  int steps = 2560;  ///< base steps of the whole run: they fix the step
  TimeInterpolation time_interpolation = TimeInterpolation::kCharacteristic;
  RefinementOptions refinement;
};

/// The step would carry information further than the ghosts reach.
class CflError : public std::runtime_error {
 public:
  CflError(const std::string& message, std::int64_t smallest_steps)
      : std::runtime_error(message), smallest_steps_(smallest_steps) {}
  /// The smallest time.steps that would do.
  std::int64_t smallest_steps() const { return smallest_steps_; }

 private:
  std::int64_t smallest_steps_;
};

/// Always-on counts of the work done.
struct WorkCounters {
  std::vector<std::uint64_t> updates_per_level;
  std::vector<std::uint64_t> updates_per_worker;
  std::uint64_t regrids = 0;
  /// Σ over base steps of the largest number of point updates of any worker.
  std::uint64_t sum_of_largest = 0;

  std::uint64_t updates() const;
  /// Load-balance efficiency (thesis): sum_of_largest ÷ (updates ÷ workers); 1 is perfect.
  double balance_efficiency() const;
};

/// Steps a case with a solver on a backend, level by level with subcycling (Berger & Oliger 1984).
/// Keeps references to all three: they must outlive it.
class Simulation {
 public:
  /// Checks the request and builds the initial mesh and state.
  /// Throws std::invalid_argument when the parts do not fit together (components, time
  /// interpolation, sizes), CflError when the first step outruns the ghosts.
  Simulation(const Case& problem, const Solver& solver, Backend& backend,
             const SimulationOptions& options);
  ~Simulation();

  /// Takes `steps` base steps. Throws CflError when an unsteady velocity, or a finer patch of a
  /// steady one, has a CFL number that the ghosts cannot serve; the run cannot go on then: levels
  /// may stand at different times.
  void advance(int steps);

  int step() const;
  /// Time reached: step() × (end_time ÷ steps), not accumulated.
  double time() const;
  double dt() const;
  const SimulationOptions& options() const;
  const Hierarchy& hierarchy() const;
  const WorkCounters& counters() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace kumiko::amr
