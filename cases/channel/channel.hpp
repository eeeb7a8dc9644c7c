// A channel with an inflow and an outflow.
#pragma once

#include <kumiko/cases/registry.hpp>

namespace kumiko::cases {

/// [0, 2] × [0, 1], velocity (U(y), 0) with U = 1 (case.profile "plug") or 4y(1 - y) ("parabolic").
/// What enters on the left has the value case.inflow, and draws a front into the channel, u = 0
/// before it; a Gaussian of case.height and case.sigma about (case.x, case.y) leaves on the right.
/// Above and below are walls: mirrors, or with case.walls "outflow", for nodes, sides without
/// gradient. Nothing crosses them either way. Known at all times: u(x, y, t) is the inflow's value
/// where x < U t, elsewhere what was at (x - U t, y) at the start.
CaseEntry channel_entry();

}  // namespace kumiko::cases
