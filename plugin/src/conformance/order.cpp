// The measured order of accuracy against the declared one.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>

#include "conformance/checks.hpp"
#include "conformance/flows.hpp"
#include "conformance/periodic_grid.hpp"

namespace kumiko::plugin::conformance {

namespace {

using amr::kPatchSize;

constexpr std::array<int, 4> kGrids = {16, 32, 64, 128};
/// The grid that the step is chosen on; the others' steps are as long in their spacings.
constexpr int kStepGrid = 32;
constexpr double kCflFraction = 0.6;
/// Errors below this are round-off's.
constexpr double kLeastError = 1e-11;
constexpr double kTolerance = 0.4;

/// Errors in two norms, or the order of accuracy by each.
struct Norms {
  double l1 = 0.0;
  double rms = 0.0;
};
using ErrorsByGrid = std::vector<Norms>;

/// The order of accuracy, by the finest pair of grids whose errors are above round-off; NaN if
/// errors are not finite.
std::optional<Norms> order_of(const ErrorsByGrid& errors) {
  for (std::size_t fine = errors.size() - 1; fine > 0; --fine) {
    if (errors[fine].l1 <= kLeastError) continue;
    return Norms{std::log2(errors[fine - 1].l1 / errors[fine].l1),
                 std::log2(errors[fine - 1].rms / errors[fine].rms)};
  }
  return std::nullopt;
}

/// A run of a case to its end on n × n points of one periodic level with the serial backend.
class EngineRun {
 public:
  /// \param steps  that the case's duration is divided by
  EngineRun(const Subject& subject, Flow problem, int n, int steps)
      : problem_(std::move(problem)), n_(n), backend_(amr::make_backend("serial", 1)) {
    problem_.field_components = subject.run_components();
    amr::SimulationOptions options;
    options.points_x = n;
    options.points_y = n;
    options.levels = 1;
    options.steps = steps;
    options.refinement.check_finite = 0;
    simulation_ = std::make_unique<amr::Simulation>(problem_, *subject.solver, *backend_, options);
    simulation_->advance(steps);
  }

  Norms errors() const {
    const amr::ErrorNorms norms =
        amr::error_norms(simulation_->hierarchy(), problem_, simulation_->time(), *backend_)
            .value();
    return {norms.l1_relative, norms.rms};
  }

  /// The first component, n × n, x fastest.
  std::vector<double> field() const {
    std::vector<double> values(static_cast<std::size_t>(n_ * n_));
    const amr::Level& level = simulation_->hierarchy().level(0);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      const amr::Patch& patch = level.patch(slot);
      for (int j = 0; j < kPatchSize; ++j) {
        const int row = patch.id().j * kPatchSize + j;
        const double* const from = &patch.now()(0, j);
        std::copy_n(from, kPatchSize,
                    &values[static_cast<std::size_t>(row * n_ + patch.id().i * kPatchSize)]);
      }
    }
    return values;
  }

 private:
  Flow problem_;
  int n_;
  std::unique_ptr<amr::Backend> backend_;
  std::unique_ptr<amr::Simulation> simulation_;
};

/// The step on kStepGrid at which the largest CFL number of a case's patches is kCflFraction of
/// the limit.
double step_of(const Subject& subject, const Flow& problem) {
  const double offset = subject.is_cell_centred() ? 0.5 : 0.0;
  const auto values = [&](int i, int j, int component) {
    return problem.field((i + offset) / kStepGrid, (j + offset) / kStepGrid, component);
  };
  return PeriodicGrid(subject, problem, kStepGrid, values)
      .prepare(kCflFraction * subject.traits.cfl_limit);
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
  const double dt = step_of(subject, flow);
  return 2 * std::max(1, static_cast<int>(std::ceil(0.5 * flow.duration / dt)));
}

/// Errors of runs to the flow's end on all grids.
ErrorsByGrid errors_against_solution(const Subject& subject, const Flow& flow) {
  const int steps = steps_on_step_grid(subject, flow);
  ErrorsByGrid errors;
  for (const int n : kGrids) {
    errors.push_back(EngineRun(subject, flow, n, steps * n / kStepGrid).errors());
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
  flow.duration = kSteps * step_of(subject, flow);
  ErrorsByGrid errors;
  std::vector<double> coarse;
  for (const int n : kGrids) {
    const std::vector<double> fine = EngineRun(subject, flow, n, kSteps * n / kStepGrid).field();
    const int half = n / 2;
    Norms sums;
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

/// Judges an order by the mean error; that by the root mean square is among the numbers only.
/// \param where  e.g. "in a constant flow"
/// \param more   what follows the measured order
Finding judge(const Subject& subject, const Norms& order, const std::string& where,
              const std::string& more, Numbers numbers) {
  numbers["order"] = order.l1;
  numbers["order_rms"] = order.rms;
  const double declared = subject.traits.order;
  // An error that stays the same, as of a field that nothing moves, has an order of about 0.
  constexpr double kGrowing = -0.1;
  const double least = std::min(order.l1, order.rms);
  if (std::isnan(order.l1) || std::isnan(order.rms) || least < kGrowing) {
    return failed(numbers,
                  "the error {} grows as the grid is refined; see stability, or look for a wrong "
                  "power of the spacing",
                  where);
  }
  const std::string text = fmt::format("{:.2f} {}{}", std::max(order.l1, 0.0), where, more);
  if (declared == 0.0) return noted(numbers, "none is declared; measured {}", text);
  if (order.l1 >= declared - kTolerance) {
    return passed(numbers, "{:g} is declared; measured {}", declared, text);
  }
  return failed(
      numbers,
      "{:g} is declared, but measured {}; declare the measured order, or find what lowers it",
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
    const std::optional<Norms> order = order_of(errors);
    if (!order) return noted(numbers, "differences of grids are round-off");
    return judge(subject, *order, "between grids", "", numbers);
  }
  const ErrorsByGrid of_translation = errors_against_solution(subject, translation_of_waves());
  const ErrorsByGrid of_rotation = errors_against_solution(subject, rotation_of_bell());
  add_errors(numbers, "constant_flow", of_translation);
  add_errors(numbers, "rotation", of_rotation);
  const std::optional<Norms> rotating = order_of(of_rotation);
  if (rotating) numbers["order_in_rotation"] = rotating->l1;
  const std::optional<Norms> order = order_of(of_translation);
  if (!order) return noted(numbers, "errors in a constant flow are round-off");
  return judge(
      subject, *order, "in a constant flow",
      rotating ? fmt::format(", {:.2f} in a rotation", rotating->l1) : ", round-off in a rotation",
      numbers);
}

}  // namespace kumiko::plugin::conformance
