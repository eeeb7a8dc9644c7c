// What a run is asked to do: grid, steps, schedule, time interpolation, refinement.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <kumiko/amr/option_field.hpp>
#include <kumiko/amr/partition.hpp>
#include <kumiko/amr/refinement_options.hpp>
#include <kumiko/amr/times.hpp>

namespace kumiko::amr {

/// How a coarse–fine ghost is interpolated between the coarse level's times
/// (docs/reference/numerics.md).
enum class TimeInterpolation {
  kAuto,            ///< the first of kCharacteristic, kQuadratic and kLinear that the solver can do
  kCharacteristic,  ///< the coarse state at the coarse time, where the ghost's particle was then
  kLinear,          ///< between the coarse states at the coarse step's start and end
  kQuadratic        ///< the parabola of those two and the solver's tendency at the start
};

/// Their names, in this order.
constexpr std::array<std::string_view, 4> names_of(TimeInterpolation) {
  return {"auto", "characteristic", "linear", "quadratic"};
}

/// The order in which patches take their steps. The results are the same, bit for bit.
enum class Schedule {
  kAuto,      ///< dataflow where the backend has threads, else level
  kDataflow,  ///< every patch as soon as its neighbours are ready; no barrier within a base step
  kLevel      ///< level by level, all patches of one before the next
};

/// Their names, in this order.
constexpr std::array<std::string_view, 3> names_of(Schedule) {
  return {"auto", "dataflow", "level"};
}

/// The name of a value.
inline std::string to_string(TimeInterpolation interpolation) {
  return std::string(names_of(interpolation)[static_cast<std::size_t>(interpolation)]);
}

/// The run. fields<SimulationOptions>() says what each option may be.
struct SimulationOptions {
  int points_x = 256;  ///< of level 0; messages name both "points"
  int points_y = 256;
  int levels = 3;    ///< 1 = uniform
  int steps = 2560;  ///< base steps of the whole run: they fix the step; 0 = chosen by `cfl`
  /// Where `steps` is 0: the CFL number by which the run chooses its steps, at most the solver's
  /// limit. Between two choices speeds may exceed it, up to the limit.
  double cfl = 0.0;
  double end_time = 0.0;  ///< of the run, in the case's time unit; 0 = the case's own
  /// Whether a run whose CFL numbers may grow keeps a copy of the state that it may have to go back
  /// to, which a failed run can be saved from; a run that chooses its steps always does.
  bool keep_state = true;
  /// Times that base steps end at, to the bit; where the run chooses its steps.
  Times exact_times;
  Schedule schedule = Schedule::kAuto;
  /// Bytes of cache that the workers share; by schedule dataflow a level of more takes its steps by
  /// blocks in time (placement.hpp). 0 = the last-level cache's size, 64 MiB at most, or 32 MiB
  /// where the system does not tell it.
  std::size_t cache = 0;
  /// Whether level l takes 2^l steps in a base step. Else every level takes one, which the CFL
  /// number of the finest level limits, and no ghost is ever needed between a coarse level's times.
  bool subcycling = true;
  TimeInterpolation time_interpolation = TimeInterpolation::kAuto;
  /// How owners share the mesh, and whether its patches move where an owner has more to do.
  PartitionKind partition = PartitionKind::kDepthFirst;
  bool balance = true;
  RefinementOptions refinement;
};

/// All but the refinement, which has its own.
template <>
const std::vector<OptionField<SimulationOptions>>& fields<SimulationOptions>();

/// Throws OptionError for options that cannot be, alone or together, those of the refinement too.
void check(const SimulationOptions& options);

}  // namespace kumiko::amr
