// Cubic and quintic semi-Lagrangian advection at nodes, for the solvers that are made of it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <kumiko/amr/finite_values.hpp>
#include <kumiko/amr/instruction_set.hpp>
#include <kumiko/plugin/plugin.hpp>

#include "kernel.hpp"

namespace kumiko::solvers::cubic {

using namespace amr;

/// How the departure point is found.
enum class Departure {
  kFirstOrder,   ///< x - v(x, t) τ
  kSecondOrder,  ///< x - v(x - v(x, t) τ/2, t - τ/2) τ
  kExact         ///< the case's own trajectories
};

/// Layout of a patch's coefficients: displacements in x, in y, then the two upwind classes.
inline constexpr std::size_t kX = 0;
inline constexpr std::size_t kY = kPatchPoints;
inline constexpr std::size_t kUpwindX = 2 * kPatchPoints;
inline constexpr std::size_t kUpwindY = kUpwindX + 1;
inline constexpr std::size_t kCoefficients = kUpwindY + 1;

/// The least and the largest displacement along one axis.
struct DisplacementRange {
  double least;
  double largest;

  double magnitude() const { return std::max(largest, -least); }
  Upwind upwind() const {
    if (largest < 0.0) return Upwind::kBelow;
    return least < 0.0 ? Upwind::kMixed : Upwind::kAbove;
  }
};

/// Multiplies values by a factor and divides them by a spacing; returns their range, or NaN if any
/// is infinite or NaN.
inline DisplacementRange normalise(std::span<double, kPatchPoints> values, double factor,
                                   double spacing) {
  // Of a power of two the inverse is exact, so that both ways give the same bits.
  int exponent = 0;
  if (std::frexp(spacing, &exponent) == 0.5) {
    const double inverse = 1.0 / spacing;
    for (double& value : values) value = (value * factor) * inverse;
  } else {
    for (double& value : values) value = (value * factor) / spacing;
  }
  if (!are_finite(values)) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    return {kNan, kNan};
  }
  // Of each column, so that compilers make vectors of the loop.
  std::array<double, kPatchSize> least;
  std::copy_n(values.begin(), kPatchSize, least.begin());
  std::array<double, kPatchSize> largest = least;
  for (std::size_t first = 0; first < values.size(); first += kPatchSize) {
    for (std::size_t column = 0; column < kPatchSize; ++column) {
      const double value = values[first + column];
      least[column] = value < least[column] ? value : least[column];
      largest[column] = value > largest[column] ? value : largest[column];
    }
  }
  return {*std::ranges::min_element(least), *std::ranges::max_element(largest)};
}

// In the order of the enumerations.
using Names = std::vector<std::string>;
inline const Names kDepartures = {"first_order", "second_order", "exact"};
inline const Names kInterpolations = {"cubic", "quintic"};
inline const Names kMonotones = {"none", "quasi"};

/// u(x, t + dt) = u(x - d, t): the departure point by one of three schemes, the value there by
/// tensor-product Lagrange interpolation on the 4×4 points around the departure cell (cubic: 4
/// interpolations in x, 1 in y; third order, two ghost layers) or on the 6×6 (quintic: fifth order,
/// three ghost layers). Stable up to CFL number 1, not conservative. Over- and undershoots stay, or
/// are clipped to the values at the departure cell's corners. Semi-Lagrangian schemes: Staniforth &
/// Côté 1991, Mon. Weather Rev. 119; clipping: Bermejo & Staniforth 1992, Mon. Weather Rev. 120.
class SemiLagrangian : public Solver {
 public:
  explicit SemiLagrangian(const ParameterSet& parameters)
      : departure_(static_cast<Departure>(parameters.choice("departure", kDepartures))),
        interpolation_(
            static_cast<Interpolation>(parameters.choice("interpolation", kInterpolations))),
        monotone_(static_cast<Monotone>(parameters.choice("monotone", kMonotones))),
        kernel_(select(&advance_baseline, &advance_avx2, &advance_avx512)) {
    const bool quintic = interpolation_ == Interpolation::kQuintic;
    traits_.ghosts = quintic ? 3 : 2;
    traits_.cfl_limit = 1.0;
    traits_.order = quintic ? 5.0 : 3.0;
    traits_.characteristic_ghosts = true;
  }

  const SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return kCoefficients; }

  double prepare(const Case& problem, const PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    const auto x = coefficients.subspan<kX, kPatchPoints>();
    const auto y = coefficients.subspan<kY, kPatchPoints>();
    const double factor = find_departures(problem, patch.points, time, dt, {x, y});
    const DisplacementRange of_x = normalise(x, factor, patch.spacing);
    const DisplacementRange of_y = normalise(y, factor, patch.spacing);
    coefficients[kUpwindX] = static_cast<double>(of_x.upwind());
    coefficients[kUpwindY] = static_cast<double>(of_y.upwind());
    if (std::isnan(of_x.least) || std::isnan(of_y.least)) return std::nan("");
    return std::max(of_x.magnitude(), of_y.magnitude());
  }

  void advance(ConstPatchView before, std::span<const double> coefficients,
               PatchView after) const override {
    for (int component = 0; component < before.components(); ++component) {
      kernel_({before.origin(component), after.origin(component), before.stride(),
               &coefficients[kX], &coefficients[kY],
               static_cast<Upwind>(static_cast<int>(coefficients[kUpwindX])),
               static_cast<Upwind>(static_cast<int>(coefficients[kUpwindY])), interpolation_,
               monotone_});
    }
  }

  void displacement(const Case& problem, Points points, double time, double tau,
                    Vectors displacement) const override {
    const double factor = find_departures(problem, points, time - tau, tau, displacement);
    for (double& value : displacement.x) value *= factor;
    for (double& value : displacement.y) value *= factor;
  }

 protected:
  static std::vector<ParameterSpec> parameters() {
    return {choice("departure", kDepartures, "second_order",
                   "how the departure point of a particle is found"),
            choice("interpolation", kInterpolations, "cubic",
                   "interpolation at the departure point: from 4x4 points or from 6x6"),
            choice("monotone", kMonotones, "none",
                   "whether the interpolated value is clipped to those at its cell's corners")};
  }

  SolverTraits traits_;

 private:
  /// Displacements over [start, start + tau] of the particles that arrive at the points at its end.
  /// \return what the values have to be multiplied by
  double find_departures(const Case& problem, Points points, double start, double tau,
                         Vectors values) const {
    switch (departure_) {
      case Departure::kFirstOrder:
        // The velocity is taken where the particle arrives, at the start of the interval.
        problem.velocity(points, start, values);
        return -tau;
      case Departure::kSecondOrder:
        midpoint_velocity(problem, points, start, tau, values);
        return -tau;
      case Departure::kExact:
        break;
    }
    if (problem.exact_displacement(points, start + tau, tau, values)) return 1.0;
    throw std::invalid_argument(
        "the case knows no exact trajectories; set solver.departure to second_order");
  }

  /// Midpoint rule with one iteration.
  static void midpoint_velocity(const Case& problem, Points points, double start, double tau,
                                Vectors velocity) {
    const double middle = start + 0.5 * tau;
    problem.velocity(points, middle, velocity);
    std::array<double, kLargestBatch> x;
    std::array<double, kLargestBatch> y;
    for (std::size_t first = 0; first < points.size(); first += kLargestBatch) {
      const std::size_t count = std::min(kLargestBatch, points.size() - first);
      const Vectors part{velocity.x.subspan(first, count), velocity.y.subspan(first, count)};
      const double half = -(0.5 * tau);
      for (std::size_t at = 0; at < count; ++at) {
        x[at] = points.x[first + at] + part.x[at] * half;
        y[at] = points.y[first + at] + part.y[at] * half;
      }
      problem.velocity({{x.data(), count}, {y.data(), count}}, middle, part);
    }
  }

  static constexpr std::size_t kLargestBatch = kPatchPoints;

  Departure departure_;
  Interpolation interpolation_;
  Monotone monotone_;
  Kernel kernel_;
};

}  // namespace kumiko::solvers::cubic
