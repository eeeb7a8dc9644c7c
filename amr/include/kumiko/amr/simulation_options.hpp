// What a run is asked to do: grid, steps, schedule, time interpolation, refinement.
#pragma once

#include <kumiko/amr/refinement_options.hpp>

namespace kumiko::amr {

/// How a coarse–fine ghost is interpolated between the coarse level's times
/// (docs/reference/numerics.md).
enum class TimeInterpolation {
  kCharacteristic,  ///< the coarse state at the coarse time, where the ghost's particle was then
  kLinear,          ///< between the coarse states at the coarse step's start and end
  kQuadratic        ///< the parabola of those two and the solver's tendency at the start
};

/// The name that the key step.time_interpolation has for it.
const char* to_string(TimeInterpolation interpolation);

/// The order in which patches take their steps. The results are the same, bit for bit.
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

}  // namespace kumiko::amr
