// The place of a coordinate in the index space of a level.
#pragma once

#include <cmath>
#include <limits>

namespace kumiko::amr {

/// A coordinate in units of a level's spacing, from the domain's lower left corner. A place that
/// misses an integer by the rounding of the division only is that integer, so that nodes and
/// cells' sides are met exactly.
inline double grid_place(double coordinate, double spacing) {
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  const double place = coordinate / spacing;
  const double nearest = std::nearbyint(place);
  return std::abs(place - nearest) <= kRounding * nearest ? nearest : place;
}

}  // namespace kumiko::amr
