// Cubic and quintic semi-Lagrangian advection at nodes.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/instruction_set.hpp>
#include <kumiko/plugin/plugin.hpp>

#include "kernel.hpp"

namespace kumiko::solvers {

namespace {

using amr::Case;
using amr::kPatchPoints;
using amr::Points;
using amr::Vectors;
using cubic::Interpolation;
using cubic::Monotone;

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

using Names = std::vector<std::string>;
const Names kDepartures = {"first_order", "second_order", "exact"};
const Names kInterpolations = {"cubic", "quintic"};
const Names kMonotones = {"none", "quasi"};

/// The value of an enumeration whose names are listed in its order.
template <class Enumeration>
Enumeration choice(const amr::ParameterSet& parameters, const char* parameter, const Names& names) {
  const std::string& wanted = parameters.text(parameter);
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) return static_cast<Enumeration>(found - names.begin());
  throw std::invalid_argument(fmt::format("{} '{}' is unknown", parameter, wanted));
}

/// u(x, t + dt) = u(x - d, t): the departure point by one of three schemes, the value there by
/// tensor-product Lagrange interpolation on the 4×4 points around the departure cell (cubic: 4
/// interpolations in x, 1 in y; third order, two ghost layers) or on the 6×6 (quintic: fifth order,
/// three ghost layers). Stable up to CFL number 1, not conservative. Over- and undershoots stay, or
/// are clipped to the values at the departure cell's corners. Semi-Lagrangian schemes: Staniforth &
/// Côté 1991, Mon. Weather Rev. 119; clipping: Bermejo & Staniforth 1992, Mon. Weather Rev. 120.
class SemiLagrangianCubic final : public amr::Solver {
 public:
  static amr::Description describe() {
    return {"semi_lagrangian_cubic",
            "cubic or quintic semi-Lagrangian advection of nodal values",
            {{.name = "departure",
              .default_value = std::string("second_order"),
              .help = "how the departure point of a particle is found",
              .choices = kDepartures},
             {.name = "interpolation",
              .default_value = std::string("cubic"),
              .help = "interpolation at the departure point: from 4x4 points or from 6x6",
              .choices = kInterpolations},
             {.name = "monotone",
              .default_value = std::string("none"),
              .help = "whether the interpolated value is clipped to those at its cell's corners",
              .choices = kMonotones}}};
  }

  explicit SemiLagrangianCubic(const amr::ParameterSet& parameters)
      : departure_(choice<Departure>(parameters, "departure", kDepartures)),
        interpolation_(choice<Interpolation>(parameters, "interpolation", kInterpolations)),
        monotone_(choice<Monotone>(parameters, "monotone", kMonotones)),
        kernel_(
            amr::select(&cubic::advance_baseline, &cubic::advance_avx2, &cubic::advance_avx512)) {
    const bool quintic = interpolation_ == Interpolation::kQuintic;
    traits_.ghosts = quintic ? 3 : 2;
    traits_.cfl_limit = 1.0;
    traits_.order = quintic ? 5.0 : 3.0;
    traits_.characteristic_ghosts = true;
  }

  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return kCoefficients; }

  double prepare(const Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    const std::span<double> x = coefficients.subspan(kX, kPatchPoints);
    const std::span<double> y = coefficients.subspan(kY, kPatchPoints);
    find_departures(problem, patch.points, time, dt, {x, y});
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
               static_cast<cubic::Upwind>(static_cast<int>(coefficients[kUpwindY])), interpolation_,
               monotone_});
    }
  }

  void displacement(const Case& problem, Points points, double time, double tau,
                    Vectors displacement) const override {
    find_departures(problem, points, time - tau, tau, displacement);
  }

 private:
  /// Displacements over [start, start + tau] of the particles that arrive at the points at its end.
  void find_departures(const Case& problem, Points points, double start, double tau,
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
  Interpolation interpolation_;
  Monotone monotone_;
  cubic::Kernel kernel_;
};

}  // namespace

}  // namespace kumiko::solvers

KUMIKO_PLUGIN(kumiko::solvers::SemiLagrangianCubic)
