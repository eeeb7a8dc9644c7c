// The reaction of LeVeque & Yee.
#pragma once

#include "rosenbrock.hpp"

namespace kumiko::solvers::advection_reaction {

/// du/dt = -μ u (u - 1/2) (u - 1): 0 and 1 attract, 1/2 repels (LeVeque & Yee 1990, J. Comput.
/// Phys. 86).
struct Bistable {
  double mu;

  Rate rate(double u) const {
    const double product = u * (u - 1.0);
    return {-mu * (product * (u - 0.5)), -mu * (3.0 * product + 0.5)};
  }
};

}  // namespace kumiko::solvers::advection_reaction
