// A sine wave that steepens into a shock.
#pragma once

#include <kumiko/cases/registry.hpp>

namespace kumiko::cases {

/// Periodic unit square, u = mean + amplitude sin(2π(x + y)) at the start, for the solver
/// "burgers": ∂u/∂t + ∂(u²/2)/∂x + ∂(u²/2)/∂y = 0. The velocity is 0: it is the solution itself
/// that moves.
///
/// The solution depends on s = x + y alone, w_t + (w²)_s = 0, and is constant along s = s₀ + 2 w t.
/// At t = 1 / (4π amplitude), 0.318 for the default, shocks form along s = 1/2 + 2 mean t (mod 1),
/// and stay there, as the wave is odd about them. exact() is the entropy solution at all times; the
/// default end_time lies after the shocks' birth.
CaseEntry burgers_entry();

}  // namespace kumiko::cases
