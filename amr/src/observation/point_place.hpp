// The patch from which the value at a point is taken, and that value.
#pragma once

#include <cstddef>
#include <vector>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::amr {

/// A point along an axis: in the cell between two nodes, or in a finite-volume cell.
struct AxisPlace {
  int cell = 0;           ///< index within the patch
  double fraction = 0.0;  ///< of the way from the cell's lower end to its upper one, 0 to 1
};

/// The finest patch that covers a point, and the point's place in it.
struct PointPlace {
  int level = 0;
  std::size_t slot = 0;
  AxisPlace x;
  AxisPlace y;

  /// True if the 4×4 nodes around the point include ghosts.
  bool reaches_ghosts() const { return reaches_out(x) || reaches_out(y); }

 private:
  static bool reaches_out(const AxisPlace& place) {
    return place.cell < 1 || place.cell + 2 >= kPatchSize;
  }
};

/// The place of a point of the domain. The domain's right and upper side belong to the last cells,
/// unless they are periodic. O(levels) look-ups.
PointPlace place_of(const Hierarchy& hierarchy, double x, double y);

/// Of nodes, the cubic's value, along x on four rows, then along y, as in the semi-Lagrangian step;
/// the ghosts that it reads must be filled. Of cells, the cell's average.
double value_at(Centring centring, ConstPatchView field, const PointPlace& place, int component);

/// Throws std::invalid_argument for a point outside the domain.
void check_points(const Geometry& geometry, Points points);

}  // namespace kumiko::amr
