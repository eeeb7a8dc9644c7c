#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

#include <kumiko/amr/instruction_set.hpp>
#include <kumiko/solvers/plugin.hpp>

#include "kernel.hpp"

namespace kumiko::solvers {

namespace {

using amr::Case;
using amr::kPatchPoints;
using amr::Points;
using amr::Vectors;

/// How the departure point is found.
enum class Departure {
  kFirstOrder,   ///< x - v(x, t) τ
  kSecondOrder,  ///< x - v(x - v(x, t) τ/2, t - τ/2) τ
  kExact         ///< the case's own trajectories
};

/// Layout of a patch's coefficients: displacements in x, in y, then the two upwind classes.
constexpr std::size_t kX = 0;
constexpr std::size_t kY = kPatchPoints;
constexpr std::size_t kUpwindX = 2 * kPatchPoints;
constexpr std::size_t kUpwindY = kUpwindX + 1;
constexpr std::size_t kCoefficients = kUpwindY + 1;

cubic::Upwind classify(std::span<const double> displacement) {
  const auto [low, high] = std::minmax_element(displacement.begin(), displacement.end());
  if (*high < 0.0) return cubic::Upwind::kBelow;
  return *low < 0.0 ? cubic::Upwind::kMixed : cubic::Upwind::kAbove;
}

/// Scales displacements to units of the spacing; returns the largest magnitude, NaN if any is.
double normalise(std::span<double> displacement, double spacing) {
  double largest = 0.0;
  for (double& value : displacement) {
    value /= spacing;
    if (std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

constexpr std::array<std::pair<const char*, Departure>, 3> kDepartures = {
    {{"first_order", Departure::kFirstOrder},
     {"second_order", Departure::kSecondOrder},
     {"exact", Departure::kExact}}};

Departure departure_of(const std::string& wanted) {
  for (const auto& [name, departure] : kDepartures) {
    if (wanted == name) return departure;
  }
  throw std::invalid_argument(fmt::format("departure scheme '{}' is unknown", wanted));
}

class SemiLagrangianCubic final : public amr::Solver {
 public:
  static amr::Description describe() {
    amr::ParameterSpec departure{"departure", std::string("second_order"),
                                 "how the departure point of a particle is found"};
    for (const auto& [name, scheme] : kDepartures) departure.choices.emplace_back(name);
    return {
        "semi_lagrangian_cubic", "cubic semi-Lagrangian advection of nodal values", {departure}};
  }

  explicit SemiLagrangianCubic(const amr::ParameterSet& parameters)
      : departure_(departure_of(parameters.text("departure"))),
        kernel_(
            amr::select(&cubic::advance_baseline, &cubic::advance_avx2, &cubic::advance_avx512)) {
    traits_.ghosts = 2;
    traits_.cfl_limit = 1.0;
    traits_.order = 3.0;
    traits_.characteristic_ghosts = true;
  }

  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return kCoefficients; }

  double prepare(const Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    const std::span<double> x = coefficients.subspan(kX, kPatchPoints);
    const std::span<double> y = coefficients.subspan(kY, kPatchPoints);
    trace_back(problem, patch.points, time, dt, {x, y});
    const double largest_x = normalise(x, patch.spacing);
    const double largest_y = normalise(y, patch.spacing);
    coefficients[kUpwindX] = static_cast<double>(classify(x));
    coefficients[kUpwindY] = static_cast<double>(classify(y));
    if (std::isnan(largest_x) || std::isnan(largest_y)) return std::nan("");
    return std::max(largest_x, largest_y);
  }

  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    for (int component = 0; component < before.components(); ++component) {
      kernel_({before.origin(component), after.origin(component), before.stride(),
               &coefficients[kX], &coefficients[kY],
               static_cast<cubic::Upwind>(static_cast<int>(coefficients[kUpwindX])),
               static_cast<cubic::Upwind>(static_cast<int>(coefficients[kUpwindY]))});
    }
  }

  void displacement(const Case& problem, Points points, double time, double tau,
                    Vectors displacement) const override {
    trace_back(problem, points, time - tau, tau, displacement);
  }

 private:
  /// Displacements over [start, start + tau] of the particles that arrive at the points at its end.
  void trace_back(const Case& problem, Points points, double start, double tau,
                  Vectors displacement) const {
    switch (departure_) {
      case Departure::kFirstOrder:
        return first_order(problem, points, start, tau, displacement);
      case Departure::kSecondOrder:
        return second_order(problem, points, start, tau, displacement);
      case Departure::kExact:
        if (problem.exact_displacement(points, start + tau, tau, displacement)) return;
        throw std::invalid_argument(
            "the case knows no exact trajectories; set solver.departure to second_order");
    }
  }

  /// The velocity is taken where the particle arrives, at the start of the interval.
  static void first_order(const Case& problem, Points points, double start, double tau,
                          Vectors displacement) {
    problem.velocity(points, start, displacement);
    for (double& value : displacement.x) value *= -tau;
    for (double& value : displacement.y) value *= -tau;
  }

  /// Midpoint rule with one iteration.
  static void second_order(const Case& problem, Points points, double start, double tau,
                           Vectors displacement) {
    first_order(problem, points, start + 0.5 * tau, 0.5 * tau, displacement);
    std::array<double, kLargestBatch> x;
    std::array<double, kLargestBatch> y;
    for (std::size_t first = 0; first < points.size(); first += kLargestBatch) {
      const std::size_t count = std::min(kLargestBatch, points.size() - first);
      const Vectors part{displacement.x.subspan(first, count),
                         displacement.y.subspan(first, count)};
      for (std::size_t at = 0; at < count; ++at) {
        x[at] = points.x[first + at] + part.x[at];
        y[at] = points.y[first + at] + part.y[at];
      }
      first_order(problem, {{x.data(), count}, {y.data(), count}}, start + 0.5 * tau, tau, part);
    }
  }

  static constexpr std::size_t kLargestBatch = kPatchPoints;

  amr::SolverTraits traits_;
  Departure departure_;
  cubic::Kernel kernel_;
};

}  // namespace

}  // namespace kumiko::solvers

KUMIKO_PLUGIN(kumiko::solvers::SemiLagrangianCubic)
