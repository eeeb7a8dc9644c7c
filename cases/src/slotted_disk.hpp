// A disk with a slot cut in from below: initial data that cases share.
#pragma once

#include <cmath>

namespace kumiko::cases {

/// 1 in the disk about (0.5, y) less its slot, 0 elsewhere. The disk's rim belongs to it; the slot
/// is open at its sides and at its top.
struct SlottedDisk {
  double y;
  double radius;
  double half_slot;  ///< half the slot's width
  double slot_top;   ///< where the slot ends, going up

  double at(double x, double y_at) const {
    const double dx = x - 0.5;
    const double dy = y_at - y;
    const bool in_disk = dx * dx + dy * dy <= radius * radius;
    const bool in_slot = std::abs(dx) < half_slot && y_at < slot_top;
    return in_disk && !in_slot ? 1.0 : 0.0;
  }
};

/// Zalesak's 1979: radius 15, slot 5 wide and 25 deep, on 100 × 100 cells.
inline constexpr SlottedDisk kZalesaksDisk = {0.75, 0.15, 0.025, 0.85};

}  // namespace kumiko::cases
