// Three dyes in one flow.
#pragma once

#include <kumiko/cases/registry.hpp>

namespace kumiko::cases {

/// Unit square, three components turned by the velocity (-(y - 0.5), x - 0.5) through one
/// revolution of 2π; 0 outside. Each is one of the shapes of LeVeque 1996, SIAM J. Numer. Anal. 33,
/// of radius r₀ = 0.15:
///
/// - disk: 1 within r₀ of (0.5, 0.75) less a slot 0.05 wide up to y = 0.85;
/// - cone: 1 - r/r₀ about (0.5, 0.25);
/// - hump: (1 + cos(πr/r₀)) / 4 about (0.25, 0.5).
///
/// The solution is known at all times.
CaseEntry dyes_entry();

}  // namespace kumiko::cases
