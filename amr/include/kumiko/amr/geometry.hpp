// Where the points of every level lie, and what surrounds the domain.
#pragma once

#include <kumiko/amr/patch_id.hpp>

namespace kumiko::amr {

/// What a ghost point beyond the domain holds.
enum class BoundaryKind {
  kFixedValue,  ///< the boundary's value, on the first node outside and beyond
  kPeriodic     ///< the opposite side of the domain
};

/// Conditions along the sides; periodicity is a property of a pair of sides.
struct Boundaries {
  BoundaryKind x = BoundaryKind::kFixedValue;
  BoundaryKind y = BoundaryKind::kFixedValue;
  /// Value outside, for kFixedValue.
  double value = 0.0;
};

/// Where a field's values live within the mesh.
enum class Centring {
  kNode  ///< point (i, j) of level l lies at (i h_l, j h_l); restriction is injection
};

/// Extent of the domain in the case's length units; its lower left corner is the origin.
struct Extent {
  double x = 1.0;
  double y = 1.0;
};

/// The mesh of every level: a base grid of points, refined by 2 from level to level.
class Geometry {
 public:
  /// @param points_x, points_y  points of level 0, multiples of kPatchSize
  /// Throws std::invalid_argument when a count is no multiple of kPatchSize, or when the spacings
  /// extent.x / points_x and extent.y / points_y differ.
  Geometry(int points_x, int points_y, Extent extent, const Boundaries& boundaries);

  int points_x(int level) const { return points_x_ << level; }
  int points_y(int level) const { return points_y_ << level; }
  int patches_x(int level) const { return points_x(level) / kPatchSize; }
  int patches_y(int level) const { return points_y(level) / kPatchSize; }
  /// Distance between neighbouring points.
  double spacing(int level) const { return spacing_ / static_cast<double>(1 << level); }
  Extent extent() const { return extent_; }
  const Boundaries& boundaries() const { return boundaries_; }

  /// Coordinate of point index i of a level, along either axis; indices outside the domain too.
  double coordinate(int level, int index) const { return index * spacing(level); }

  bool inside(const PatchId& id) const {
    return id.i >= 0 && id.j >= 0 && id.i < patches_x(id.level) && id.j < patches_y(id.level);
  }
  /// The patch's identity after wrapping it around periodic sides (unchanged elsewhere).
  PatchId wrap(PatchId id) const;

 private:
  int points_x_;
  int points_y_;
  double spacing_;
  Extent extent_;
  Boundaries boundaries_;
};

}  // namespace kumiko::amr
