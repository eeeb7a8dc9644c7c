// Zalesak's slotted disk in solid rotation.
#pragma once

#include <kumiko/cases/registry.hpp>

namespace kumiko::cases {

/// Velocity (-(y - 0.5), x - 0.5); one revolution takes 2π; 0 outside. u = 1 on a disk less a slot,
/// else 0, by case.variant:
///
/// - thesis: the unit square, radius 0.15 about (0.5, 0.75), slot 0.05 wide up to y = 0.85. After
///   Zalesak 1979, J. Comput. Phys. 31, as the reference thesis has it.
/// - zalesak1979: the same disk, for Zalesak's 100 × 100 cells. The domain is [0, 1.12]², so that
/// 112
///   cells, a multiple of 16, have the spacing of 1/100; the disk stays within the unit square.
/// - vof200: the disk of the volume-of-fluid literature (Rudman 1997, Int. J. Numer. Meth. Fluids
///   24: on [0, 4]², radius 0.5 about (2, 2.75), slot 0.12 wide and 0.6 deep), scaled to the unit
///   square: radius 0.125 about (0.5, 0.6875), slot 0.03 wide up to y = 0.7125. The domain is
///   [0, 1.04]²: 208 cells have the spacing of 1/200.
///
/// What vof200 publishes is quoted at second hand; "points" counts those of the unit square.
CaseEntry zalesak_entry();

}  // namespace kumiko::cases
