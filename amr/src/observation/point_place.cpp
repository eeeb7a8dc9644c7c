#include "observation/point_place.hpp"

#include <array>
#include <cmath>
#include <cstdint>

#include <kumiko/amr/cubic_weights.hpp>
#include <kumiko/amr/require.hpp>

#include "observation/grid_place.hpp"

namespace kumiko::amr {

static_assert(kAxes == 2, "the interpolation goes along x, then along y");

namespace {

/// The place within the level.
AxisPlace axis_place(double coordinate, double spacing, int cells, bool is_periodic) {
  const double place = grid_place(coordinate, spacing);
  const int cell = static_cast<int>(std::floor(place));
  if (cell < cells) return {cell, place - cell};
  if (is_periodic) return {};
  return {cells - 1, 1.0};
}

/// 4 interpolations along x and 1 along y.
double interpolate(ConstPatchView field, const PointPlace& place, int component) {
  const CubicWeights along_x = cubic_weights(place.x.fraction);
  const CubicWeights along_y = cubic_weights(place.y.fraction);
  const int i = place.x.cell;
  std::array<double, 4> rows;
  for (int row = 0; row < 4; ++row) {
    const int j = place.y.cell + row - 1;
    rows[static_cast<std::size_t>(row)] =
        combine(along_x, field(i - 1, j, component), field(i, j, component),
                field(i + 1, j, component), field(i + 2, j, component));
  }
  return combine(along_y, rows[0], rows[1], rows[2], rows[3]);
}

}  // namespace

PointPlace place_of(const Hierarchy& hierarchy, double x, double y) {
  const Geometry& geometry = hierarchy.geometry();
  const Boundaries& sides = geometry.boundaries();
  for (int level = hierarchy.used_levels() - 1;; --level) {
    const double spacing = geometry.spacing(level);
    AxisPlace along_x = axis_place(x, spacing, geometry.points_x(level), sides.periodic_x());
    AxisPlace along_y = axis_place(y, spacing, geometry.points_y(level), sides.periodic_y());
    const PatchId id{level, along_x.cell / kPatchSize, along_y.cell / kPatchSize};
    const std::int32_t slot = hierarchy.mesh().find(id);
    if (slot < 0) continue;  // level 0 covers the domain
    along_x.cell %= kPatchSize;
    along_y.cell %= kPatchSize;
    return {level, static_cast<std::size_t>(slot), along_x, along_y};
  }
}

double value_at(Centring centring, ConstPatchView field, const PointPlace& place, int component) {
  return centring == Centring::kCell ? field(place.x.cell, place.y.cell, component)
                                     : interpolate(field, place, component);
}

void check_points(const Geometry& geometry, Points points) {
  require(points.x.size() == points.y.size(), "there are {} x and {} y of points", points.x.size(),
          points.y.size());
  const Extent extent = geometry.extent();
  for (std::size_t at = 0; at < points.size(); ++at) {
    const double x = points.x[at];
    const double y = points.y[at];
    require(x >= 0.0 && x <= extent.x && y >= 0.0 && y <= extent.y,
            "point ({:g}, {:g}) lies outside the domain, which reaches from (0, 0) to ({:g}, {:g})",
            x, y, extent.x, extent.y);
  }
}

}  // namespace kumiko::amr
