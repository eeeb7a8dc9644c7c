#include <fmt/core.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/amr/simulation_options.hpp>

namespace kumiko::amr {

template <>
const std::vector<OptionField<SimulationOptions>>& fields<SimulationOptions>() {
  using enum Determines;
  using S = SimulationOptions;
  static const std::vector<OptionField<S>> list = {
      pair_field<&S::points_x, &S::points_y>(
          "points", {.least = kPatchSize, .most = kMostBasePoints, .multiple_of = kPatchSize},
          kState, "points of level 0 in x and y; one integer stands for both"),
      field<&S::levels>("levels", {1, kLargestLevelCount}, kCourse,
                        "levels of the mesh, level 0 included; 1 = uniform"),
      field<&S::steps>(
          "steps", {0, kMostCount}, kCourse,
          "number of base steps of the whole run, all of one length; 0 = chosen by `cfl`"),
      field<&S::cfl>("cfl", {.least = 0.0, .most = 64.0}, kCourse,
                     "CFL number by which the run chooses its steps, up to the solver's limit; 0 = "
                     "by `steps`"),
      field<&S::end_time>("end_time", {.least = 0.0}, kCourse,
                          "time at which the run ends, in the case's unit; 0 = the case's own end"),
      field<&S::keep_state>(
          "keep_state", {}, kRun,
          "whether a run whose CFL numbers may grow writes a checkpoint of its last whole "
          "state when a step turns out too long; takes 8 bytes a point and component"),
      field<&S::schedule>("schedule", {}, kRun,
                          "how the steps of patches are ordered; auto = dataflow with backend "
                          "'threads', else level"),
      field<&S::cache>("cache", {0, kMostCount}, kRun,
                       "MiB of cache that the workers share; dataflow lets the patches of a larger "
                       "level take several steps while they are there; 0 = the last-level cache, "
                       "64 at most"),
      field<&S::subcycling>(
          "subcycling", {}, kState,
          "whether finer levels take more, shorter steps; if not, all take the base step"),
      field<&S::time_interpolation>(
          "time_interpolation", {}, kState,
          "how ghosts at coarse-fine boundaries are interpolated between coarse steps; auto = the "
          "first of characteristic, quadratic and linear that the solver can do"),
      field<&S::partition>("partition", {}, kRun,
                           "how ranks share the patches: depth-first along the space-filling curve "
                           "through all levels, by level, by rows (canonical), or by chance"),
      field<&S::balance>("balance", {}, kRun,
                         "whether patches move between ranks after a regrid, where one has much "
                         "more to do than others"),
  };
  return list;
}

void check(const SimulationOptions& options) {
  check_ranges(options);
  if (options.steps == 0 && options.cfl == 0.0) {
    throw OptionError("steps", "0", "give `cfl`, or a number of steps");
  }
  if (options.steps > 0 && options.cfl > 0.0) {
    throw OptionError("cfl", fmt::format("{:g}", options.cfl),
                      fmt::format("give `cfl` or `steps`, which is {}, not both", options.steps));
  }
  require(options.exact_times.empty() || options.steps == 0,
          "base steps of one length, {} of them, cannot end at given times; give `cfl` instead of "
          "`steps`",
          options.steps);
  check(options.refinement, options.points_x, options.levels);
}

}  // namespace kumiko::amr
