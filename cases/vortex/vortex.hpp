// The reversing single vortex.
#pragma once

#include <kumiko/cases/registry.hpp>

namespace kumiko::cases {

/// Unit square, u drawn out by one vortex and brought back by its reversal: velocity
/// (sin²(πx) sin(2πy), -sin²(πy) sin(2πx)) cos(πt/T), zero on the sides; 0 outside. At the start
/// the disk of radius 0.15 about (0.5, 0.75), or for orders of convergence a Gaussian there. The
/// solution is known at t = 0 and t = T only. After LeVeque 1996, SIAM J. Numer. Anal. 33, and
/// Rider & Kothe 1998, J. Comput. Phys. 141. Velocities are computed without library calls: the
/// same bits everywhere. Errors are published for T = 0.5, 2 and 8, and quoted here at second hand.
CaseEntry vortex_entry();

}  // namespace kumiko::cases
