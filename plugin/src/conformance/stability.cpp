// Whether rough data stay bounded at the declared CFL limit.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "conformance/checks.hpp"
#include "conformance/flows.hpp"
#include "conformance/periodic_grid.hpp"

namespace kumiko::plugin::conformance {

namespace {

constexpr int kPoints = 32;
constexpr int kSteps = 300;
/// The growth that is allowed: after kSteps, a mode that grows by a thousandth a step and had its
/// share of the noise exceeds it.
constexpr double kAllowedGrowth = 1.05;
/// In a flow that is not constant, stable schemes may gain a little too.
constexpr double kAllowedGrowthInVortices = 2.0;

std::vector<Flow> directions() {
  std::vector<Flow> flows;
  for (const auto& [vx, vy] :
       {std::array{1.0, 0.0}, {0.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}, {1.0, 0.4}, {-0.3, -1.0}}) {
    flows.push_back(constant_flow(vx, vy));
    flows.back().name = fmt::format("flow ({:g}, {:g})", vx, vy);
  }
  flows.push_back(vortices());
  return flows;
}

/// The largest variance over the first one, of runs of kSteps at a CFL number; of the state after a
/// step, since the first may smooth. Stops once the outcome is plain.
double growth(const Subject& subject, const Flow& flow, const PeriodicGrid::Values& values,
              double cfl) {
  constexpr double kHopeless = 1e3;
  PeriodicGrid grid(subject, flow, kPoints, values);
  double start = 0.0;
  for (int j = 0; j < kPoints; ++j) {
    for (int i = 0; i < kPoints; ++i) {
      start += std::pow(values(i, j, 0) - subject.value(0, 0.0), 2) / (kPoints * kPoints);
    }
  }
  double largest = 0.0;
  for (int step = 0; step < kSteps; ++step) {
    grid.step(cfl);
    const double now = grid.variance() / start;
    if (!(now < kHopeless)) return std::isnan(now) ? std::numeric_limits<double>::infinity() : now;
    largest = std::max(largest, now);
  }
  return largest;
}

}  // namespace

Finding check_stability(Subject& subject) {
  const PeriodicGrid::Values noise_values = [&](int i, int j, int component) {
    return subject.value(component, noise(i, j, component) < 0.0 ? -1.0 : 1.0);
  };
  const PeriodicGrid::Values checkerboard = [&](int i, int j, int component) {
    return subject.value(component, (i + j) % 2 == 0 ? -1.0 : 1.0);
  };
  Numbers numbers = {
      {"cfl", subject.traits.cfl_limit}, {"growth", 0.0}, {"growth_in_vortices", 0.0}};
  const double limit = subject.traits.cfl_limit;
  std::string worst;
  std::function<double(double)>
      worst_at;  // the same growth at another CFL number, over the allowed
  double excess = 0.0;
  for (const Flow& flow : directions()) {
    const bool is_varying = flow.name == "vortices";
    double& largest = numbers[is_varying ? "growth_in_vortices" : "growth"];
    for (const auto* const values : {&noise_values, &checkerboard}) {
      const double allowed = is_varying ? kAllowedGrowthInVortices : kAllowedGrowth;
      const double found = growth(subject, flow, *values, limit);
      largest = std::max(largest, found);
      const double relative = found / allowed;
      if (relative <= excess) continue;
      excess = relative;
      worst_at = [&subject, flow, values, allowed](double cfl) {
        return growth(subject, flow, *values, cfl) / allowed;
      };
      worst = fmt::format("{} in {}", values == &checkerboard ? "the checkerboard" : "noise",
                          flow.name);
    }
  }
  const double growth_found = std::max(numbers["growth"], numbers["growth_in_vortices"]);
  if (excess <= 1.0) {
    return passed(
        numbers,
        "in {} steps at CFL {:g} the mean square of rough data grows by a factor of {:.3g} at most",
        kSteps, limit, growth_found);
  }
  const double tenth = 0.1 * limit;
  const bool helps = worst_at(tenth) <= 1.0;
  return failed(numbers,
                "at CFL {:g}, the declared limit, the mean square of rough data ({}) grows by a "
                "factor of {:.3g} within {} steps; {}",
                limit, worst, growth_found, kSteps,
                helps
                    ? "declare a lower limit"
                    : fmt::format("it grows at CFL {:g} too, so a lower limit does not help: look "
                                  "for a wrong sign or index among the fluxes",
                                  tenth));
}

}  // namespace kumiko::plugin::conformance
