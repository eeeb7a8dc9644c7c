// What a step must not depend on: a constant stays, axes and places are alike.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/core.h>

#include "conformance/checks.hpp"
#include "conformance/engine_run.hpp"
#include "conformance/flows.hpp"
#include "conformance/patch_step.hpp"

namespace kumiko::plugin::conformance {

namespace {

using amr::kPatchSize;

/// What differences may be, relative to the largest value: thousands of roundings.
constexpr double kRoundOff = 1e-12;

constexpr auto kSamePoint = [](int i, int j) { return std::array{i, j}; };

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
      PatchStep step(subject, place);
      step.fill(values);
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
  PatchStep step(subject, place);
  step.fill(values);
  const double dt = step.prepare_for(flow, 0.8 * subject.traits.cfl_limit);
  step.advance();
  PatchStep other(subject, place);
  other.fill([&](int i, int j, int component) {
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

namespace {

/// The largest difference between steps of equal values in a constant flow on patches at several
/// places.
double difference_between_places(const Subject& subject) {
  const Flow flow = constant_flow(0.7, -0.4);
  PatchStep guess(subject, Place(subject, 0, 0));
  guess.fill(rough_values(subject));
  const double dt = guess.prepare_for(flow, 0.8 * subject.traits.cfl_limit);
  const auto result_at = [&](int first_i, int first_j) {
    PatchStep step(subject, Place(subject, first_i, first_j));
    step.fill(rough_values(subject));
    step.prepare(flow, dt);
    step.advance();
    return step;
  };
  const PatchStep here = result_at(0, 0);
  double largest = 0.0;
  for (const auto& [first_i, first_j] : {std::array{16, 0}, {0, 16}, {16, 16}, {48, 32}}) {
    const PatchStep there = result_at(first_i, first_j);
    largest = std::max(largest, largest_difference(here.after(), there.after(), kSamePoint));
  }
  return largest;
}

/// A run of noise, and runs of the same noise one patch further on: differences at the end.
double difference_between_runs(const Subject& subject) {
  constexpr int kPoints = 64;
  constexpr int kSteps = 12;
  Flow flow = constant_flow(0.7, -0.4);
  const double to_index = subject.is_cell_centred() ? 0.0 : 0.5;
  const auto field_from = [&](int shift_x, int shift_y) {
    return [&subject, to_index, shift_x, shift_y](double x, double y, int component) {
      const auto index = [to_index](double at, int shift) {
        return (static_cast<int>(std::floor(at * kPoints + to_index)) - shift + kPoints) % kPoints;
      };
      // Small waves, so that a nonlinear speed hardly changes.
      return subject.value(component, 0.1 * noise(index(x, shift_x), index(y, shift_y), component));
    };
  };
  flow.field = field_from(0, 0);
  flow.duration = kSteps * step_for(subject, flow, kPoints, 0.7 * subject.traits.cfl_limit);
  const auto end_of = [&](int shift_x, int shift_y) {
    flow.field = field_from(shift_x, shift_y);
    EngineRun run(subject, flow, kPoints, kSteps);
    run.advance(kSteps);
    return run.field();
  };
  const std::vector<double> here = end_of(0, 0);
  double largest = 0.0;
  for (const auto& [shift_x, shift_y] : {std::array{kPatchSize, 0}, {0, kPatchSize}}) {
    const std::vector<double> there = end_of(shift_x, shift_y);
    for (int j = 0; j < kPoints; ++j) {
      for (int i = 0; i < kPoints; ++i) {
        const int moved = (j + shift_y) % kPoints * kPoints + (i + shift_x) % kPoints;
        raise(largest, std::abs(here[static_cast<std::size_t>(j * kPoints + i)] -
                                there[static_cast<std::size_t>(moved)]));
      }
    }
  }
  return largest;
}

}  // namespace

Finding check_translation(Subject& subject) {
  const double of_step = difference_between_places(subject);
  const double of_run = difference_between_runs(subject);
  const Numbers numbers = {{"step", of_step}, {"run", of_run}};
  const std::string text =
      fmt::format("moved by one patch, a step differs by {:.1e}, a run of the engine by {:.1e}",
                  of_step, of_run);
  // A run has a dozen steps.
  if (of_step <= kRoundOff && of_run <= 20.0 * kRoundOff) return passed(numbers, "{}", text);
  return failed(numbers, "{}; in a constant flow nothing may depend on where a patch lies", text);
}

}  // namespace kumiko::plugin::conformance
