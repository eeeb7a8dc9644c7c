// A smooth Gaussian in solid rotation.
#pragma once

#include <kumiko/cases/registry.hpp>

namespace kumiko::cases {

/// Unit square, u = exp(-r² / 2σ²) about (case.x, case.y), turned by the velocity
/// (-(y - 0.5), x - 0.5) through case.revolutions of 2π each; 0 outside. The exact solution, known
/// at all times, is that of the whole plane: it differs from the domain's by the tail that passes
/// the sides, 4e-6 of the height at most for the defaults.
CaseEntry gaussian_entry();

}  // namespace kumiko::cases
