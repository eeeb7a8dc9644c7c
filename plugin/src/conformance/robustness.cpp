// What a solver does with values that are not numbers, and what it says of speeds.
#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <vector>

#include <fmt/core.h>

#include "conformance/checks.hpp"
#include "conformance/flows.hpp"
#include "conformance/patch_step.hpp"

namespace kumiko::plugin::conformance {

namespace {

/// Values that every solver can be given, in words.
struct Data {
  const char* name;
  PatchStep::Values values;
};

std::vector<Data> finite_data(const Subject& subject) {
  return {{"noise", rough_values(subject)},
          {"a wave", smooth_values(subject)},
          {"a constant",
           [&subject](int, int, int component) { return subject.value(component, 0.0); }}};
}

/// Describes the first value that a step has made and that is not finite; empty if there is none.
std::string first_not_finite(PatchStep& step) {
  const std::vector<double> outputs = step.outputs();
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (std::ranges::all_of(outputs, is_finite)) return {};
  std::string found;
  step.advance();
  for_view(step.after(), 0, [&](int i, int j, int component, double value) {
    if (!found.empty() || std::isfinite(value)) return;
    found = fmt::format("{} at point ({}, {}) of component {}",
                        std::isnan(value) ? "nan" : "an infinity", i, j, component);
  });
  return found.empty() ? "among the fluxes or the tendency" : found;
}

/// Where a NaN is put: interior points and corners, and ghosts that the flow carries in from the
/// left and from below.
constexpr std::array<int, 2> kNanPlaces[] = {{5, 7},  {0, 0},  {15, 15}, {0, 15},
                                             {15, 6}, {-1, 7}, {9, -1}};

enum class NanOutcome { kSeen, kThrown, kHidden };

NanOutcome outcome_of(const Subject& subject, const Place& place, int i, int j) {
  PatchStep step(subject, place, smooth_values(subject));
  // A short step: its stencil holds the point itself, whatever the limit.
  step.prepare_for(constant_flow(1.0, 0.6), 0.4 * std::min(subject.traits.cfl_limit, 1.0));
  step.before()(i, j) = std::numeric_limits<double>::quiet_NaN();
  try {
    step.advance();
  } catch (const std::exception&) {
    return NanOutcome::kThrown;
  }
  // The point itself, or the one next to a ghost, cannot but see it.
  const double seen = step.after()(std::max(i, 0), std::max(j, 0));
  return std::isfinite(seen) ? NanOutcome::kHidden : NanOutcome::kSeen;
}

}  // namespace

std::string values_not_finite(const Subject& subject) {
  const Place place(subject);
  for (const Flow& flow : flows_around(place.centre_x(), place.centre_y())) {
    for (const Data& data : finite_data(subject)) {
      PatchStep step(subject, place, data.values);
      try {
        step.prepare_for(flow, 0.9 * subject.traits.cfl_limit);
        const std::string found = first_not_finite(step);
        if (!found.empty()) return fmt::format("{}, from {} in {}", found, data.name, flow.name);
      } catch (const std::exception&) {
        return {};  // the checks tell
      }
    }
  }
  return {};
}

Finding check_nan_input(Subject& subject) {
  if (!subject.not_finite.empty()) {
    return failed({},
                  "a step makes values that are not finite from finite data: {}; look for 0 / 0, "
                  "and for roots and logarithms of negative numbers",
                  subject.not_finite);
  }
  const Place place(subject);
  int thrown = 0;
  std::vector<std::string> hidden;
  for (const auto& [i, j] : kNanPlaces) {
    const NanOutcome outcome = outcome_of(subject, place, i, j);
    if (outcome == NanOutcome::kThrown) ++thrown;
    if (outcome == NanOutcome::kHidden) hidden.push_back(fmt::format("({}, {})", i, j));
  }
  const Numbers numbers = {{"tried", std::size(kNanPlaces)},
                           {"thrown", thrown},
                           {"hidden", static_cast<double>(hidden.size())}};
  if (!hidden.empty()) {
    return failed(numbers,
                  "a NaN at point {}{} is gone after a step; let it through, so that the run can "
                  "stop where it arose",
                  hidden.front(),
                  hidden.size() > 1 ? fmt::format(" and {} more", hidden.size() - 1) : "");
  }
  if (thrown == 0) return passed(numbers, "a NaN comes out as NaN");
  return passed(numbers, "{} of {} NaN are answered with an exception{}", thrown,
                std::size(kNanPlaces),
                thrown < std::ssize(kNanPlaces) ? ", the others come out as NaN" : "");
}

Finding check_state_cfl(Subject& subject) {
  if (!subject.traits.nonlinear) return skipped("it is not declared nonlinear");
  const Place place(subject);
  const Flow flow = constant_flow(0.7, -0.4);
  PatchStep step(subject, place, rough_values(subject));
  const auto cfl_of = [&](double dt) {
    step.prepare(flow, dt);
    return subject.solver->state_cfl(step.before(), step.coefficients());
  };
  constexpr double kStep = 1e-3;
  const double one = cfl_of(kStep);
  const double two = cfl_of(2.0 * kStep);
  const Numbers numbers = {{"cfl", one}, {"cfl_of_twice_the_step", two}};
  if (!(std::isfinite(one) && one > 0.0)) {
    return failed(numbers, "it is {:g} for a state that moves; it must be finite and above 0", one);
  }
  if (std::abs(two - 2.0 * one) > 1e-10 * one) {
    return failed(
        numbers,
        "it is {:.8g}, and {:.8g} for a step twice as long; it must be proportional to the step",
        one, two);
  }
  step.poison(1, std::numeric_limits<double>::quiet_NaN());
  const double without_ghosts = cfl_of(kStep);
  if (without_ghosts != one) {
    return failed(
        numbers,
        "it depends on ghosts, which need not be filled when it is asked; read the interior only");
  }
  return passed(numbers, "proportional to the step; {:.4g} for a step of {:g}", one, kStep);
}

namespace {

/// The largest distance between what the solver and the flow say, over the longest displacement.
double displacement_error(const Subject& subject, const Place& place, const Flow& flow,
                          double tau) {
  constexpr double kTime = 0.3;
  const amr::Points points = place.points().points;
  std::vector<double> x(points.size());
  std::vector<double> y(points.size());
  std::vector<double> exact_x(points.size());
  std::vector<double> exact_y(points.size());
  subject.solver->displacement(flow, points, kTime, tau, {x, y});
  flow.exact_displacement(points, kTime, tau, {exact_x, exact_y});
  double error = 0.0;
  double longest = 0.0;
  for (std::size_t at = 0; at < points.size(); ++at) {
    raise(error, std::hypot(x[at] - exact_x[at], y[at] - exact_y[at]));
    longest = std::max(longest, std::hypot(exact_x[at], exact_y[at]));
  }
  return error / longest;
}

}  // namespace

Finding check_displacement(Subject& subject) {
  if (!subject.traits.characteristic_ghosts) return skipped("no characteristic ghosts declared");
  const Place place(subject);
  constexpr double kTau = 0.02;
  const double constant = displacement_error(subject, place, constant_flow(0.7, -0.4), kTau);
  const double rotating = displacement_error(subject, place, rotation(0.5, 0.5), kTau);
  const Numbers numbers = {{"constant_flow", constant}, {"rotation", rotating}};
  const std::string text = fmt::format(
      "relative errors of particles' displacements: {:.1e} in a constant flow, {:.1e} in a "
      "rotation",
      constant, rotating);
  // First-order departures leave half an angle of 0.02.
  if (constant <= 1e-11 && rotating <= 0.03) return passed(numbers, "{}", text);
  return failed(numbers, "{}; displacement() gives where particles were minus where they are",
                text);
}

}  // namespace kumiko::plugin::conformance
