// Positions of the points of every level, and the boundary conditions of the domain.
#pragma once

#include <array>

#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/patch_id.hpp>

namespace kumiko::amr {

/// The value of a ghost point beyond a side of the domain.
enum class BoundaryKind {
  kFixedValue,  ///< the side's value, on the first point outside and beyond
  kPeriodic,    ///< the point on the opposite side, whose kind must be the same
  kOutflow,     ///< the outermost point's value: no gradient across the side
  kReflecting,  ///< the mirror image about the wall; for cell-centred fields
  kPrescribed   ///< the value of Case::boundary_values() at its place and time
};

/// Whether there may be flow in or out through a side of this kind.
constexpr bool is_open(BoundaryKind kind) {
  return kind != BoundaryKind::kPeriodic && kind != BoundaryKind::kReflecting;
}

/// A side of the domain, in the order of Boundaries::sides().
enum class Side { kLeft, kRight, kBottom, kTop };

/// "left", "right", "bottom" or "top", for messages.
const char* to_string(Side side);

/// The condition along one side.
struct Boundary {
  BoundaryKind kind = BoundaryKind::kFixedValue;
  /// The value of every component, for kFixedValue.
  double value = 0.0;
};

/// The conditions along the four sides. For points beyond two sides, left and right are applied
/// first (docs/reference/numerics.md).
struct Boundaries {
  Boundary left;
  Boundary right;
  Boundary bottom;
  Boundary top;

  /// A value of 0 outside all sides.
  Boundaries() = default;
  Boundaries(Boundary left_side, Boundary right_side, Boundary bottom_side, Boundary top_side)
      : left(left_side), right(right_side), bottom(bottom_side), top(top_side) {}
  /// Left and right have one kind, bottom and top another, and all sides have one value.
  Boundaries(BoundaryKind x, BoundaryKind y, double value)
      : left{x, value}, right{x, value}, bottom{y, value}, top{y, value} {}

  /// The four conditions in the order of Side.
  std::array<Boundary, 4> sides() const { return {left, right, bottom, top}; }
  bool periodic_x() const { return left.kind == BoundaryKind::kPeriodic; }
  bool periodic_y() const { return bottom.kind == BoundaryKind::kPeriodic; }
  /// Whether there may be flow in or out through a side.
  bool is_open() const;
};

/// The position of a field's values within the mesh.
enum class Centring {
  kNode,  ///< point (i, j) of level l lies at (i h_l, j h_l), and holds the field's value there
  /// Point (i, j) of level l is the cell from (i h_l, j h_l) to ((i + 1) h_l, (j + 1) h_l), and
  /// holds the field's average over it. Its coordinates are those of its centre.
  kCell
};

/// Extent of the domain in the case's length units; its lower left corner is the origin.
struct Extent {
  double x = 1.0;
  double y = 1.0;
};

/// A part of the plane, in the case's length units.
struct Rectangle {
  double x0 = 0.0;
  double x1 = 0.0;
  double y0 = 0.0;
  double y1 = 0.0;
};

/// The mesh of every level: a base grid of points, refined by 2 from level to level.
class Geometry {
 public:
  /// \param points_x, points_y  points of level 0, multiples of kPatchSize
  /// Throws std::invalid_argument when a count is not a multiple of kPatchSize, when the spacings
  /// extent.x / points_x and extent.y / points_y differ, when one side alone of a pair is periodic,
  /// and when a side's value is not finite.
  Geometry(int points_x, int points_y, Extent extent, const Boundaries& boundaries,
           Centring centring = Centring::kNode);

  int points_x(int level) const { return patches_x(level) * kPatchSize; }
  int points_y(int level) const { return patches_y(level) * kPatchSize; }
  int patches_x(int level) const { return base_.patches_along(0, level); }
  int patches_y(int level) const { return base_.patches_along(1, level); }
  /// Distance between neighbouring points.
  double spacing(int level) const { return spacing_ / static_cast<double>(1 << level); }
  Extent extent() const { return {base_.extent[0], base_.extent[1]}; }
  /// The base grid and the domain, as a mesh stores them.
  const BaseGrid<2>& base_grid() const { return base_; }
  const Boundaries& boundaries() const { return boundaries_; }
  Centring centring() const { return centring_; }

  /// The coordinate along either axis of a level's node, or of its cell's centre, by its index,
  /// which may lie outside the domain.
  double coordinate(int level, int index) const { return (index + offset_) * spacing(level); }

 private:
  BaseGrid<2> base_;
  double spacing_;
  Boundaries boundaries_;
  Centring centring_;
  double offset_;  ///< of a point from its index, in spacings
};

}  // namespace kumiko::amr
