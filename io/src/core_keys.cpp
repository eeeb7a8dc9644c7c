#include "core_keys.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace kumiko::io {

namespace {

using Integers = std::vector<std::int64_t>;

constexpr double kMaxSteps = 1e9;

Key integer(std::string name, std::int64_t value, double minimum, double maximum,
            std::string help) {
  return {.spec = {std::move(name), value, std::move(help), minimum, maximum}};
}

Key number(std::string name, double value, double minimum, double maximum, std::string help) {
  return {.spec = {std::move(name), value, std::move(help), minimum, maximum}};
}

Key text(std::string name, std::string value, std::string help) {
  return {.spec = {std::move(name), std::move(value), std::move(help)}};
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
      choice("amr.criterion", {"loehner"}, "what decides where to refine"),
      within(number("amr.threshold", 0.1, 0, 1, "refine where the indicator is above this")),
      number("amr.delta", 0.05, 0, 1, "weight of the indicator's filter against ripples"),
      number("amr.floor", 0.01, 0, 1,
             "times the largest |u| of the initial level 0, added to the indicator's denominator"),
      integer("amr.buffer", 2, 0, 16, "points by which tags grow"),
      integer("amr.interval", 4, 1, kMaxSteps, "base steps between regrids"),
      integer("time.steps", 2560, 1, kMaxSteps, "base steps of the whole run; they fix the step"),
      integer("time.stop_step", 0, 0, kMaxSteps,
              "base step to end at, up to time.steps; 0 = the last"),
      choice("step.schedule", {"level"}, "how the steps of patches are ordered"),
      choice("step.time_interpolation", {"characteristic", "linear"},
             "how ghosts at coarse-fine boundaries are had between coarse steps"),
      integer("runtime.workers", 0, 0, 4096, "OS threads that work; 0 = all available"),
      choice("runtime.idle", {"adaptive", "spin", "spin_pause", "yield", "sleep"},
             "what workers of backend 'threads' do that find no work"),
      integer("output.every", 0, 0, kMaxSteps,
              "base steps between files of the state; 0 = the final state only"),
      integer("diagnostics.every", 10, 1, kMaxSteps, "base steps between rows of diagnostics.csv"),
      integer("trace.from", -1, -1, kMaxSteps,
              "base step from which trace.json records the workers; -1 = no trace"),
      integer("trace.steps", 40, 1, kMaxSteps, "base steps that trace.json records"),
  };
}

}  // namespace kumiko::io
