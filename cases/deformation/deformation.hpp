// The reversing field of many vortices.
#pragma once

#include <kumiko/cases/registry.hpp>

namespace kumiko::cases {

/// Unit square, periodic. u is torn apart by a field of vortices and put together by its reversal:
/// velocity (sin(4π(x + ½)) sin(4π(y + ½)), cos(4π(x + ½)) cos(4π(y + ½))) cos(πt/T). At the start
/// the disk of radius 0.15 about (0.5, 0.5), or for orders of convergence a Gaussian there. The
/// solution is known at t = 0 and t = T only. The field is that of Smolarkiewicz 1982, Mon. Weather
/// Rev. 110, the reversal that of Rider & Kothe 1998, J. Comput. Phys. 141. Velocities are computed
/// without library calls: the same bits everywhere.
CaseEntry deformation_entry();

}  // namespace kumiko::cases
