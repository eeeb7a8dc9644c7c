// The measured order of accuracy against the declared one.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "conformance/checks.hpp"
#include "conformance/engine_run.hpp"
#include "conformance/flows.hpp"

namespace kumiko::plugin::conformance {

namespace {

constexpr std::array<int, 4> kGrids = {16, 32, 64, 128};
/// The grid that the step is chosen on; the others' steps are as long in their spacings.
constexpr int kStepGrid = 32;
constexpr double kCflFraction = 0.6;
/// Errors below this are round-off's.
constexpr double kLeastError = 1e-11;
constexpr double kTolerance = 0.4;

struct Errors {
  double l1 = 0.0;
  double rms = 0.0;
};
using ErrorsByGrid = std::vector<Errors>;

/// The order of accuracy, by the finest pair of grids whose errors are above round-off.
struct Order {
  double l1;
  double rms;
};
std::optional<Order> order_of(const ErrorsByGrid& errors) {
  for (std::size_t fine = errors.size() - 1; fine > 0; --fine) {
    if (!(errors[fine].l1 > kLeastError)) continue;
    return Order{std::log2(errors[fine - 1].l1 / errors[fine].l1),
                 std::log2(errors[fine - 1].rms / errors[fine].rms)};
  }
  return std::nullopt;
}

double wave(double x, double y) {
  const double turn = 2.0 * std::numbers::pi;
  return std::sin(turn * x) * std::cos(turn * y);
}

Flow translation_of_waves() {
  constexpr double kX = 0.83;
  constexpr double kY = 0.47;
  Flow flow = constant_flow(kX, kY);
  flow.duration = 0.4;
  flow.field = [](double x, double y, int) { return wave(x, y); };
  flow.solution = [](double x, double y, double t) { return wave(x - kX * t, y - kY * t); };
  return flow;
}

/// A bell in rotation about the middle of the domain, whose sides it does not reach.
Flow rotation_of_bell() {
  Flow flow = rotation(0.5, 0.5);
  flow.duration = 0.6;
  flow.sides = {amr::BoundaryKind::kFixedValue, amr::BoundaryKind::kFixedValue, 0.0};
  flow.solution = [](double x, double y, double t) {
    constexpr double kWidth = 0.08;
    const double dx = x - 0.5 - 0.12 * std::cos(t);
    const double dy = y - 0.5 - 0.12 * std::sin(t);
    return std::exp(-(dx * dx + dy * dy) / (2.0 * kWidth * kWidth));
  };
  flow.field = [solution = flow.solution](double x, double y, int) { return solution(x, y, 0.0); };
  return flow;
}

/// The number of steps on kStepGrid: even, so that half as many serve the coarsest grid.
int steps_on_step_grid(const Subject& subject, const Flow& flow) {
  const double dt = step_for(subject, flow, kStepGrid, kCflFraction * subject.traits.cfl_limit);
  return 2 * std::max(1, static_cast<int>(std::ceil(0.5 * flow.duration / dt)));
}

/// Errors of runs to the flow's end on all grids.
ErrorsByGrid errors_against_solution(const Subject& subject, const Flow& flow) {
  const int steps = steps_on_step_grid(subject, flow);
  ErrorsByGrid errors;
  for (const int n : kGrids) {
    EngineRun run(subject, flow, n, steps * n / kStepGrid);
    run.advance(steps * n / kStepGrid);
    const amr::ErrorNorms norms = run.errors();
    errors.push_back({norms.l1_relative, norms.rms});
  }
  return errors;
}

/// The field on a grid of half as many points.
double restricted(const Subject& subject, const std::vector<double>& fine, int n, int i, int j) {
  const auto at = [&](int fi, int fj) { return fine[static_cast<std::size_t>(fj * n + fi)]; };
  if (!subject.is_cell_centred()) return at(2 * i, 2 * j);
  return 0.25 * ((at(2 * i, 2 * j) + at(2 * i + 1, 2 * j)) +
                 (at(2 * i, 2 * j + 1) + at(2 * i + 1, 2 * j + 1)));
}

/// Differences between the runs on each grid and the next finer one.
ErrorsByGrid differences_of_grids(const Subject& subject, Flow flow) {
  constexpr int kSteps = 6;
  const double dt = step_for(subject, flow, kStepGrid, kCflFraction * subject.traits.cfl_limit);
  flow.duration = kSteps * dt;
  ErrorsByGrid errors;
  std::vector<double> coarse;
  for (const int n : kGrids) {
    const int steps = kSteps * n / kStepGrid;
    EngineRun run(subject, flow, n, steps);
    run.advance(steps);
    const std::vector<double> fine = run.field();
    const int half = n / 2;
    Errors sums;
    for (int j = 0; j < half && !coarse.empty(); ++j) {
      for (int i = 0; i < half; ++i) {
        const double difference =
            restricted(subject, fine, n, i, j) - coarse[static_cast<std::size_t>(j * half + i)];
        sums.l1 += std::abs(difference);
        sums.rms += difference * difference;
      }
    }
    const double points = half * half;
    if (!coarse.empty()) errors.push_back({sums.l1 / points, std::sqrt(sums.rms / points)});
    coarse = fine;
  }
  return errors;
}

Finding judge(const Subject& subject, const Order& order, const std::string& what,
              Numbers numbers) {
  numbers["order"] = order.l1;
  numbers["order_rms"] = order.rms;
  const double declared = subject.traits.order;
  const std::string text =
      fmt::format("{} (mean error; {:.2f} in root mean square) {}",
                  order.l1 < 0.005 ? "0.00" : fmt::format("{:.2f}", order.l1), order.rms, what);
  if (declared == 0.0) return noted(numbers, "none is declared; measured {}", text);
  if (order.l1 >= declared - kTolerance) {
    return passed(numbers, "{:g} is declared; measured {}", declared, text);
  }
  return failed(
      numbers, "{:g} is declared, but measured {}; declare what it has, or look for what lowers it",
      declared, text);
}

/// Waves as the solver can be given them.
Flow waves_of(const Subject& subject) {
  Flow flow = constant_flow(0.83, 0.47);
  flow.field = [&subject](double x, double y, int component) {
    return subject.value(component, 0.4 * wave(x + 0.1 * component, y));
  };
  return flow;
}

void add_errors(Numbers& numbers, const std::string& name, const ErrorsByGrid& errors) {
  for (std::size_t at = 0; at < errors.size(); ++at) {
    numbers[fmt::format("{}_{}", name, kGrids[at])] = errors[at].rms;
  }
}

}  // namespace

Finding check_order(Subject& subject) {
  Numbers numbers;
  if (!subject.is_advection()) {
    const ErrorsByGrid errors = differences_of_grids(subject, waves_of(subject));
    add_errors(numbers, "difference", errors);
    const std::optional<Order> order = order_of(errors);
    if (!order) return noted(numbers, "differences of grids are round-off");
    return judge(subject, *order, "of differences between grids", numbers);
  }
  const ErrorsByGrid of_translation = errors_against_solution(subject, translation_of_waves());
  const ErrorsByGrid of_rotation = errors_against_solution(subject, rotation_of_bell());
  add_errors(numbers, "constant_flow", of_translation);
  add_errors(numbers, "rotation", of_rotation);
  const std::optional<Order> rotating = order_of(of_rotation);
  if (rotating) numbers["order_in_rotation"] = rotating->l1;
  const std::optional<Order> order = order_of(of_translation);
  if (!order) return noted(numbers, "errors in a constant flow are round-off");
  return judge(subject, *order,
               fmt::format("in a constant flow, {} in a rotation",
                           rotating ? fmt::format("{:.2f}", rotating->l1) : "round-off"),
               numbers);
}

}  // namespace kumiko::plugin::conformance
