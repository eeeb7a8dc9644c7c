// Zalesak's slotted disk in solid rotation.
#pragma once

#include <kumiko/cases/registry.hpp>

namespace kumiko::cases {

/// Unit square, u = 1 on a disk of radius 0.15 about (0.5, 0.75) less a slot 0.05 wide up to
/// y = 0.85, else 0; velocity (-(y - 0.5), x - 0.5); one revolution takes 2π; 0 outside.
/// After Zalesak 1979, J. Comput. Phys. 31, with the disk of the reference thesis.
CaseEntry zalesak_entry();

}  // namespace kumiko::cases
