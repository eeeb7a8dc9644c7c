// Rates of the shipped schemes in a single vortex, steady and unsteady, through the engine and by
// their kernels alone. Prints medians over windows of a few base steps.
#include <cstdio>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <kumiko/runtime/cpu_budget.hpp>

#include "bare_sweep.hpp"
#include "case_run.hpp"
#include "rates.hpp"
#include "support/arguments.hpp"
#include "support/json_line.hpp"

namespace kumiko::bench {
namespace {

/// Base steps of a window.
constexpr int kStretch = 10;
constexpr int kStepsBefore = 80;

struct Scheme {
  std::string name;
  Named solver;
  bool has_flow = true;  ///< whether the case's velocity carries the field
};

std::vector<Scheme> schemes() {
  return {{"upwind1", {"upwind1"}},
          {"upwind3", {"finite_volume_upwind3"}},
          {"fct", {"flux_form_fct"}},
          {"thinc", {"thinc"}},
          {"cubic", {"semi_lagrangian_cubic", {{"departure", std::string("second_order")}}}},
          {"burgers", {"burgers"}, false}};
}

/// The vortex over 256² points with two finer levels, or on a uniform grid of twice as many points
/// along each side.
RunSpec spec_of(const Scheme& scheme, const std::string& flow, bool is_uniform) {
  RunSpec spec;
  if (scheme.has_flow) {
    spec.problem = {"vortex",
                    {{"reverses", flow != "steady"}, {"drift", flow == "moving" ? 0.3 : 0.0}}};
  } else {
    spec.problem = {"burgers"};
  }
  spec.solver = scheme.solver;
  spec.steps = 4096;
  if (is_uniform) {
    constexpr int kFiner = 2;
    spec.points *= kFiner;
    spec.steps *= kFiner;
    spec.levels = 1;
  }
  return spec;
}

/// One scheme's runs, in turn.
void measure(const Scheme& scheme, int workers, int windows, Rates& rates) {
  struct Entry {
    std::string name;
    std::unique_ptr<CaseRun> run;
  };
  std::vector<Entry> runs;
  const auto flows = scheme.has_flow ? std::vector<std::string>{"steady", "unsteady", "moving"}
                                     : std::vector<std::string>{"steady"};
  for (const std::string& flow : flows) {
    for (const bool is_uniform : {false, true}) {
      for (const int count : std::set{1, workers}) {
        Entry& entry = runs.emplace_back();
        entry.name =
            scheme.name + (is_uniform ? "_uniform_" : "_amr_") + flow + "_" + std::to_string(count);
        entry.run = std::make_unique<CaseRun>(spec_of(scheme, flow, is_uniform),
                                              count == 1 ? "serial" : "threads", count);
        entry.run->advance(kStretch);
      }
    }
  }
  BareSweep sweep(spec_of(scheme, "steady", false), kStepsBefore);
  for (int window = 0; window < windows; ++window) {
    for (const Entry& entry : runs) {
      rates.measure(entry.name, [&] { return entry.run->advance(kStretch); });
    }
    for (const int count : std::set{1, workers}) {
      rates.add(scheme.name + "_sweep_" + std::to_string(count), sweep.rate(count, kStretch));
    }
  }
}

int run(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const auto windows = static_cast<int>(arguments.integer("windows", 9));
  const auto workers = static_cast<int>(arguments.integer("workers", runtime::available_cores()));
  arguments.reject_unknown();
  Rates rates;
  for (const Scheme& scheme : schemes()) measure(scheme, workers, windows, rates);
  JsonLine line;
  rates.add_medians(line);
  line.print();
  return 0;
}

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  try {
    return kumiko::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
