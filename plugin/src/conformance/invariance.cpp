// What a step must not depend on: a constant stays, axes and places are alike.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/core.h>

#include "conformance/checks.hpp"
#include "conformance/flows.hpp"
#include "conformance/patch_step.hpp"

namespace kumiko::plugin::conformance {

namespace {

using amr::kPatchSize;

/// What differences may be, relative to the largest value: thousands of roundings.
constexpr double kRoundOff = 1e-12;

/// Constant states; each component has one value.
std::vector<PatchStep::Values> constant_states(const Subject& subject) {
  std::vector<double> values = {1.0, -3.7, 1e-8, 0.1, 6.02e23};
  if (subject.traits.nonlinear) values = {-0.8, 0.0, 0.63, 1.0};
  std::vector<PatchStep::Values> states;
  for (const double value : values) {
    states.emplace_back([&subject, value](int, int, int component) {
      return subject.traits.nonlinear ? subject.value(component, value) : value;
    });
  }
  return states;
}

/// The largest change of a constant, over the constant.
double change_of_constant(PatchStep& step) {
  step.advance();
  double largest = 0.0;
  for (int component = 0; component < step.components(); ++component) {
    const double value = step.before()(0, 0, component);
    const auto change = (step.after().interior(component) - value).abs();
    const double scale = value == 0.0 ? 1.0 : std::abs(value);
    raise(largest, change.maxCoeff<Eigen::PropagateNaN>() / scale);
  }
  return largest;
}

}  // namespace

Finding check_constants(Subject& subject) {
  const Place place(subject);
  double largest = 0.0;
  std::string where;
  for (const Flow& flow : flows_around(place.centre_x(), place.centre_y())) {
    for (const PatchStep::Values& values : constant_states(subject)) {
      PatchStep step(subject, place, values);
      step.prepare_for(flow, 0.9 * subject.traits.cfl_limit);
      const double change = change_of_constant(step);
      if (change <= largest) continue;
      largest = change;
      where = fmt::format("{} in {}", values(0, 0, 0), flow.name);
    }
  }
  const Numbers numbers = {{"largest_relative_change", largest}};
  if (largest <= kRoundOff) {
    return passed(numbers, "constants stay within {:.1e} of themselves", largest);
  }
  if (!std::isfinite(largest)) {
    return failed(numbers,
                  "a constant, {}, becomes a value that is not finite; look for 0 / 0 where "
                  "neighbours are equal, and for roots and logarithms of negative numbers",
                  where);
  }
  return failed(
      numbers,
      "a constant, {}, changes by {:.2e} of itself in a step without divergence; interpolate with "
      "weights that add up to 1, on differences, or take face velocities from the stream function",
      where, largest);
}

namespace {

/// A patch in a flow, and a picture of both; how far the step is from commuting with it.
double asymmetry(const Subject& subject, const Place& place, const Flow& flow, const Flow& image,
                 const std::function<std::array<int, 2>(int, int)>& map) {
  const PatchStep::Values values = rough_values(subject);
  PatchStep step(subject, place, values);
  const double dt = step.prepare_for(flow, 0.8 * subject.traits.cfl_limit);
  step.advance();
  PatchStep other(subject, place, [&](int i, int j, int component) {
    const auto [from_i, from_j] = map(i, j);
    return values(from_i, from_j, component);
  });
  other.prepare(image, dt);
  other.advance();
  return largest_difference(other.after(), step.after(), map);
}

}  // namespace

Finding check_symmetry(Subject& subject) {
  if (subject.traits.nonlinear && subject.traits.components > 1) {
    return skipped("how coupled components change with the axes is not known");
  }
  const Place place(subject, 32, 32);
  const double x = place.centre_x();
  const double y = place.centre_y();
  constexpr int kLast = kPatchSize - 1;
  Numbers numbers;
  const auto measure = [&](const char* name, const Flow& flow, const Flow& image, auto map) {
    numbers[name] = std::max(numbers[name], asymmetry(subject, place, flow, image, map));
  };
  for (const Flow& flow : flows_around(x + 0.01, y - 0.02)) {
    measure("transposed", flow, transposed(flow), [](int i, int j) { return std::array{j, i}; });
    // A nonlinear flux need not be the same the other way.
    if (subject.traits.nonlinear) continue;
    measure("mirrored_x", flow, mirrored_x(flow, x), [](int i, int j) {
      return std::array{kLast - i, j};
    });
    measure("mirrored_y", flow, mirrored_y(flow, y), [](int i, int j) {
      return std::array{i, kLast - j};
    });
  }
  std::vector<std::string> texts;
  double largest = 0.0;
  for (const auto& [name, difference] : numbers) {
    texts.push_back(fmt::format("{} {:.1e}", name, difference));
    largest = std::max(largest, difference);
  }
  const std::string text = fmt::format("{}", fmt::join(texts, ", "));
  if (largest <= kRoundOff) return passed(numbers, "differences by round-off: {}", text);
  return failed(numbers,
                "the result depends on the axes' names or directions: {}; treat x and y, and both "
                "directions of each, alike",
                text);
}

Finding check_translation(Subject& subject) {
  const Flow flow = constant_flow(0.7, -0.4);
  PatchStep here(subject, Place(subject, 0, 0), rough_values(subject));
  const double dt = here.prepare_for(flow, 0.8 * subject.traits.cfl_limit);
  here.advance();
  double largest = 0.0;
  for (const auto& [first_i, first_j] : {std::array{16, 0}, {0, 16}, {16, 16}, {48, 32}}) {
    PatchStep there(subject, Place(subject, first_i, first_j), rough_values(subject));
    there.prepare(flow, dt);
    there.advance();
    const auto same_point = [](int i, int j) { return std::array{i, j}; };
    largest = std::max(largest, largest_difference(here.after(), there.after(), same_point));
  }
  const std::string text = fmt::format("moved by patches, a step differs by {:.1e}", largest);
  if (largest <= kRoundOff) return passed({{"step", largest}}, "{}", text);
  return failed({{"step", largest}},
                "{}; in a constant flow nothing may depend on where a patch lies", text);
}

}  // namespace kumiko::plugin::conformance
