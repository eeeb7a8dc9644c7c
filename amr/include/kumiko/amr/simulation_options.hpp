// Options of a run: grid, steps, schedule, time interpolation, refinement.
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
  kAuto,      ///< dataflow if the backend has lightweight threads, else level
  kDataflow,  ///< every patch steps as soon as its neighbours are ready; no barrier within a base
              ///< step
  kLevel      ///< level by level: all patches of a level before the next level
};

/// Their names, in this order.
constexpr std::array<std::string_view, 3> names_of(Schedule) {
  return {"auto", "dataflow", "level"};
}

/// The name of a value.
inline std::string to_string(TimeInterpolation interpolation) {
  return std::string(names_of(interpolation)[static_cast<std::size_t>(interpolation)]);
}

/// Options of a run. fields<SimulationOptions>() has the allowed values.
struct SimulationOptions {
  int points_x = 256;  ///< of level 0; messages name both "points"
  int points_y = 256;
  int levels = 3;    ///< 1 = uniform
  int steps = 2560;  ///< base steps of the whole run, which determine the step's length; 0 = chosen
                     ///< by `cfl`
  /// If `steps` is 0: the CFL number by which the run chooses its steps, at most the solver's
  /// limit. Between two choices, growing speeds may exceed this number, up to the limit.
  double cfl = 0.0;
  double end_time = 0.0;  ///< end of the run, in the case's time unit; 0 = the case's own end
  /// Whether a run whose CFL numbers may grow keeps a copy of its last whole state, from which a
  /// failed run can be saved. A run that chooses its steps always keeps it.
  bool keep_state = true;
  /// Times that base steps end at, to the bit; where the run chooses its steps.
  Times exact_times;
  /// Whether the case is shown states, where it asks for it.
  bool observe = true;
  Schedule schedule = Schedule::kAuto;
  /// Size in bytes of the cache that the workers share. With schedule dataflow, a larger level
  /// takes its steps by blocks in time (placement.hpp). 0 = the last-level cache's size, 64 MiB at
  /// most, or 32 MiB if the system does not report it.
  std::size_t cache = 0;
  /// Whether level l takes 2^l steps in a base step. Otherwise every level takes one step, whose
  /// length is limited by the CFL number of the finest level, and no ghosts are interpolated in
  /// time.
  bool subcycling = true;
  TimeInterpolation time_interpolation = TimeInterpolation::kAuto;
  /// How the mesh is distributed among ranks, and whether patches move if a rank has more work
  /// than others.
  PartitionKind partition = PartitionKind::kDepthFirst;
  bool balance = true;
  RefinementOptions refinement;
};

/// All members except the refinement, which has its own fields.
template <>
const std::vector<OptionField<SimulationOptions>>& fields<SimulationOptions>();

/// Throws OptionError if options are invalid, alone or in combination, including those of the
/// refinement.
void check(const SimulationOptions& options);

}  // namespace kumiko::amr
