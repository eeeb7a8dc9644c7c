// A stiff ordinary differential equation at a point, integrated by steps as long as its error
// allows.
#pragma once

#include <cmath>
#include <limits>

namespace kumiko::solvers::advection_reaction {

/// du/dt of a reaction, and how it changes with u.
struct Rate {
  double value;
  double slope;
};

/// A value after a step, and an estimate of how wrong it is.
struct RosenbrockStep {
  double value;
  double error;
};

/// One step of ROS3: a Rosenbrock method of order 3 with an embedded one of order 2, L-stable,
/// three stages, two evaluations (Sandu, Verwer, Blom, Spee, Carmichael & Potra 1997, Atmos.
/// Environ. 31). The method is written in the variables that need no product with the slope;
/// without libraries, so that the bits are the same everywhere. Cost: some 50 flops, four of them
/// divisions.
/// \param rate  at u
template <class Source>
RosenbrockStep rosenbrock_step(const Source& source, double u, Rate rate, double h) {
  constexpr double kGamma = 0.43586652150845899941601945119356;
  const double per_h = 1.0 / h;
  const double inverse = 1.0 / (1.0 / (h * kGamma) - rate.slope);
  const double k1 = inverse * rate.value;
  const double later = source.rate(u + k1).value;
  const double k2 = inverse * (later - per_h * (1.0156171083877702091975600115545 * k1));
  const double k3 = inverse * (later + per_h * (4.0759956452537699824805835358067 * k1 +
                                                9.2076794298330791242156818474003 * k2));
  return {
      u + (k1 + (6.1697947043828245592553615689730 * k2 - 0.42772256543218573326238373806514 * k3)),
      0.5 * k1 - 2.9079558716805469821718236208017 * k2 + 0.22354069897811569627360909276199 * k3};
}

/// u after a time, by steps whose estimated errors are at most the tolerance each. The first
/// attempt is the whole time; steps halve where the error is too large and double where it is a
/// sixteenth of what it may be. Where distances grow (slope > 0) a step lasts half of 1 / slope at
/// most: longer ones would damp them, as the method is L-stable, and the estimate, which shrinks
/// with the distance from an equilibrium, would not tell. What moves by less than a hundredth of
/// the tolerance in the whole time, at its present rate and without such growth, counts as in
/// equilibrium and stays: one evaluation. Not a number, when no step is short enough, and where u
/// is none.
template <class Source>
double integrate(const Source& source, double u, double time, double tolerance) {
  constexpr double kShortest = 0x1p-40;  // of the time
  constexpr double kMostGrowth = 0.5;    // slope times step
  Rate rate = source.rate(u);
  const bool moves_little =
      std::abs(rate.value) * time <= 0.01 * tolerance && rate.slope * time <= kMostGrowth;
  if (moves_little || rate.value == 0.0) return u;
  double h = time;
  double left = time;
  while (left > 0.0) {
    h = h < left ? h : left;
    if (h * rate.slope > kMostGrowth) h = kMostGrowth / rate.slope;
    const RosenbrockStep step = rosenbrock_step(source, u, rate, h);
    const double error = std::abs(step.error);
    if (!(error <= tolerance)) {
      h *= 0.5;
      if (h < kShortest * time) return std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    u = step.value;
    rate = source.rate(u);
    left -= h;
    if (error * 16.0 <= tolerance) h *= 2.0;
  }
  return u;
}

}  // namespace kumiko::solvers::advection_reaction
