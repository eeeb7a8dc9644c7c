#include "config/core_keys.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace kumiko::io {

namespace {

using Integers = std::vector<std::int64_t>;

constexpr double kMaxSteps = 1e9;
constexpr double kMaxMebibytes = 1e9;
constexpr double kNoEnd = std::numeric_limits<double>::infinity();

Key integer(std::string name, std::int64_t value, double minimum, double maximum,
            std::string help) {
  return {.spec = {std::move(name), value, std::move(help), minimum, maximum}};
}

Key number(std::string name, double value, double minimum, double maximum, std::string help) {
  return {.spec = {std::move(name), value, std::move(help), minimum, maximum}};
}

Key flag(std::string name, bool value, std::string help) {
  return {.spec = {std::move(name), value, std::move(help)}};
}

Key text(std::string name, std::string value, std::string help) {
  return {.spec = {std::move(name), std::move(value), std::move(help)}};
}

Key interval(std::string name, std::string help) {
  return {.spec = {std::move(name), std::vector<double>{0.0, 1.0}, std::move(help)},
          .list_size = 2};
}

/// The first choice is the default.
Key choice(std::string name, std::vector<std::string> choices, std::string help) {
  Key key = text(std::move(name), choices.front(), std::move(help));
  key.spec.choices = std::move(choices);
  return key;
}

Key required(Key key) {
  key.required = true;
  return key;
}

Key repeated(Key key) {
  key.repeated = true;
  return key;
}

/// Text such as "10 min"; a number alone may do without quotes.
Key amount(std::string name, std::string value, std::string help) {
  Key key = text(std::move(name), std::move(value), std::move(help));
  key.integer_serves = true;
  return key;
}

Key changeable(Key key) {
  key.changeable = true;
  return key;
}

Key within(Key key) {
  key.open_range = true;
  return key;
}

Key grid_base() {
  return {.spec = {"grid.base", Integers{256, 256},
                   "points of level 0 in x and y; one integer stands for both", 16, 65536},
          .multiple_of = 16,
          .list_size = 2};
}

}  // namespace

std::vector<Key> core_keys() {
  return {
      required(text("case.name", "", "the case to compute")),
      text("solver.name", "semi_lagrangian_cubic", "the solver that advances the patches"),
      grid_base(),
      integer("amr.levels", 3, 1, 8, "levels of the mesh, level 0 included; 1 = uniform"),
      choice(
          "amr.criterion", {"loehner", "gradient", "user"},
          "the indicator of where to refine: Loehner's, the largest difference to a neighbouring "
          "point, or the case's own"),
      within(number("amr.threshold", 0.1, 0, kNoEnd,
                    "refine where the indicator is above this, in its units; for loehner below 1")),
      number("amr.derefine_threshold", 0, 0, kNoEnd,
             "keep patches where the indicator is above this; 0 = the same as amr.threshold"),
      integer("amr.threshold_order", 0, 0, 4,
              "power of the base grid's spacing with which both thresholds fall where grid.base is "
              "not amr.threshold_at, so that a smooth field is refined in the same places: 2 for "
              "loehner, 1 for gradient; 0 = they stay as they are"),
      integer(
          "amr.threshold_at", 0, 0, 65536,
          "points of level 0 in x for which the thresholds are given; 0 = grid.base of the file"),
      integer("amr.hysteresis", 0, 0, kMaxSteps,
              "regrids in a row at which a patch stays though it is not wanted"),
      integer("amr.min_lifetime", 0, 0, kMaxSteps, "base steps that a patch stays after it came"),
      number("amr.delta", 0.05, 0, 1, "weight of the indicator's filter against ripples"),
      number("amr.floor", 0.01, 0, 1,
             "times the largest |u| of the initial level 0, added to the indicator's denominator"),
      integer("amr.buffer", 2, 0, 16, "points by which tags grow"),
      integer("amr.interval", 4, 0, kMaxSteps,
              "base steps between regrids; 0 = as many as the CFL number and amr.buffer allow"),
      changeable(integer("amr.memory_limit", 0, 0, kMaxMebibytes,
                         "MiB that the patches may take; 0 = no limit")),
      changeable(
          integer("amr.check_finite", 4, 0, kMaxSteps,
                  "least base steps between looks for values that are not finite; 0 = none")),
      repeated(required(interval("amr.region.x", "of a region with levels of its own: from, to"))),
      repeated(required(interval("amr.region.y", "the same in y"))),
      repeated(integer("amr.region.max_level", 7, 0, 7,
                       "finest level that tags may bring to the region; 0 = the base grid")),
      repeated(integer("amr.region.min_level", 0, 0, 7,
                       "level to which the region is refined in any case")),
      integer("time.steps", 2560, 1, kMaxSteps, "base steps of the whole run; they fix the step"),
      changeable(integer("time.stop_step", 0, 0, kMaxSteps,
                         "base step to end at, up to time.steps; 0 = the last")),
      changeable(choice(
          "step.schedule", {"auto", "dataflow", "level"},
          "how the steps of patches are ordered; auto = dataflow with backend 'threads', else "
          "level")),
      flag("step.subcycling", true,
           "whether finer levels take more, shorter steps; if not, all take the base step"),
      choice(
          "step.time_interpolation", {"auto", "characteristic", "linear", "quadratic"},
          "how ghosts at coarse-fine boundaries are interpolated between coarse steps; auto = the "
          "first of characteristic, quadratic and linear that the solver can do"),
      changeable(integer("runtime.workers", 0, 0, 4096, "OS threads that work; 0 = all available")),
      changeable(choice("runtime.idle", {"adaptive", "spin", "spin_pause", "yield", "sleep"},
                        "what workers of backend 'threads' do that find no work")),
      changeable(amount("checkpoint.every", "0",
                        "base steps between checkpoints, or time such as \"10 min\" (s, min, h, "
                        "d); 0 = none, but at signals and before the time limit")),
      changeable(integer("checkpoint.keep", 2, 1, kMaxSteps,
                         "newest checkpoints that stay; older ones are removed")),
      changeable(choice("checkpoint.on_failure", {"continue", "stop"},
                        "what a run does whose checkpoint cannot be written")),
      changeable(amount("time.wall_limit", "0",
                        "time after which the run writes a checkpoint and ends, such as \"2 h\"; "
                        "0 = none")),
      changeable(integer("output.every", 0, 0, kMaxSteps,
                         "base steps between files of the state; 0 = the final state only")),
      changeable(flag("output.figures", false,
                      "whether these files also show level, worker, cost and indicator; five times "
                      "the size")),
      changeable(
          choice("output.compression", {"none", "deflate"},
                 "how these files and checkpoints store their records; deflate is smaller and "
                 "slower")),
      changeable(integer("diagnostics.every", 10, 1, kMaxSteps,
                         "base steps between rows of diagnostics.csv")),
      changeable(integer("trace.from", -1, -1, kMaxSteps,
                         "base step from which trace.hdf records the workers; -1 = no trace")),
      changeable(
          integer("trace.steps", 40, 1, kMaxSteps,
                  "base steps that trace.hdf records; fewer when it would take more than 2 GB")),
  };
}

}  // namespace kumiko::io
