// Whether the flow is what its stream function, its factor and its steadiness say.
#include <algorithm>
#include <array>
#include <cstddef>

#include <kumiko/amr/flow_check.hpp>

#include "conformance/case/case_checks.hpp"

namespace kumiko::plugin::conformance {

namespace {

/// Between points of a difference, of the domain's extent.
constexpr double kBetween = 1e-3;

/// The derivative along an axis by central differences of order 6.
/// \param values  those at points moved along the axis
template <class Values>
std::vector<double> derivative(const CaseSubject& subject, int axis, Values values) {
  constexpr std::array<double, 3> kWeights = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
  const double spacing = kBetween * (axis == 0 ? subject.extent.x : subject.extent.y);
  std::vector<double> sum(subject.inside.size(), 0.0);
  for (std::size_t away = 0; away < kWeights.size(); ++away) {
    for (const double sign : {-1.0, 1.0}) {
      const double by = sign * spacing * static_cast<double>(away + 1);
      const std::vector<double> of =
          axis == 0 ? values(subject.inside.moved(by, 0.0)) : values(subject.inside.moved(0.0, by));
      for (std::size_t at = 0; at < sum.size(); ++at) {
        sum[at] += sign * kWeights[away] / spacing * of[at];
      }
    }
  }
  return sum;
}

std::vector<double> negative(std::vector<double> values) {
  for (double& each : values) each = -each;
  return values;
}

}  // namespace

Finding check_stream(CaseSubject& subject) {
  Comparison comparison;
  for (const double time : subject.times) {
    if (!subject.stream(subject.inside, time)) continue;
    const auto stream = [&](const Places& places) { return subject.stream(places, time).value(); };
    const VectorValues velocity = subject.velocity(subject.inside, time);
    comparison.add(subject.inside, time, derivative(subject, 1, stream), velocity[0]);
    comparison.add(subject.inside, time, negative(derivative(subject, 0, stream)), velocity[1]);
  }
  if (comparison.empty()) return skipped("the case knows no stream function");
  return comparison.judged(
      {.tolerance = 1e-3,
       .a = "(d psi/dy, -d psi/dx)",
       .b = "the velocity",
       .remedy = "solvers take either, so that they would solve different problems"});
}

Finding check_divergence(CaseSubject& subject) {
  if (!subject.is_advection()) {
    return skipped("equation '" + subject.problem.equation().name + "' may have a divergence");
  }
  Comparison comparison;
  for (const double time : subject.times) {
    const auto along = [&](std::size_t axis) {
      return [&subject, time, axis](const Places& places) {
        return subject.velocity(places, time)[axis];
      };
    };
    comparison.add(subject.inside, time, derivative(subject, 0, along(0)),
                   negative(derivative(subject, 1, along(1))));
  }
  // Of a wind that is the same everywhere both are round-off.
  const double least = 1e-3 * subject.largest_speed / std::min(subject.extent.x, subject.extent.y);
  Finding finding = comparison.judged(
      {.tolerance = 1e-3,
       .a = "dvx/dx",
       .b = "-dvy/dy",
       .remedy = "with a divergence conservative solvers solve another equation than the others; "
                 "mend the velocity, or name the equation by equation()",
       .least = least});
  subject.has_divergence = finding.verdict == Verdict::kFailed;
  return finding;
}

Finding check_steadiness(CaseSubject& subject) {
  Comparison comparison;
  const VectorValues start = subject.velocity(subject.inside, subject.times.front());
  for (const double time : subject.times) {
    if (time == subject.times.front()) continue;
    const VectorValues later = subject.velocity(subject.inside, time);
    for (std::size_t axis = 0; axis < later.size(); ++axis) {
      comparison.add(subject.inside, time, start[axis], later[axis]);
    }
  }
  Finding finding =
      comparison.judged({.tolerance = 1e-12,
                         .share = 0.0,
                         .a = "the velocity at t = 0",
                         .b = "that later",
                         .remedy = "the case says steady_velocity(), so that solvers keep what "
                                   "follows from the first one; let it return false"});
  if (subject.problem.steady_velocity()) return finding;
  if (finding.verdict == Verdict::kPassed) {
    return noted(finding.numbers,
                 "the velocity is the same at all times; with steady_velocity() solvers would keep "
                 "what follows from it");
  }
  return passed(finding.numbers, "the velocity changes, and the case says so");
}

Finding check_factor(CaseSubject& subject) {
  if (!subject.problem.velocity_factor(subject.problem.unit_factor_time())) {
    return skipped("the case declares no factor of time");
  }
  const auto found = amr::factor_contradiction(subject.problem);
  if (!found) return passed({}, "the velocity is the factor times a steady field");
  return failed({{"factor", found->factor}},
                "the velocity at ({:.4g}, {:.4g}), t = {:.4g} is ({:.6g}, {:.6g}), but the factor "
                "{:.6g} times the field of unit_factor_time() is ({:.6g}, {:.6g}); solvers take "
                "either",
                found->x, found->y, found->time, found->velocity[0], found->velocity[1],
                found->factor, found->factor * found->field[0], found->factor * found->field[1]);
}

}  // namespace kumiko::plugin::conformance
