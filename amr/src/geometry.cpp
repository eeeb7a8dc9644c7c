#include <cmath>
#include <stdexcept>

#include <fmt/core.h>

#include <kumiko/amr/geometry.hpp>

namespace kumiko::amr {

namespace {

void require_multiple(const char* axis, int points) {
  if (points >= kPatchSize && points % kPatchSize == 0) return;
  throw std::invalid_argument(
      fmt::format("the base grid has {} points in {}; it needs a positive multiple of {}", points,
                  axis, kPatchSize));
}

int wrap_index(int index, int count) { return ((index % count) + count) % count; }

}  // namespace

Geometry::Geometry(int points_x, int points_y, Extent extent, const Boundaries& boundaries)
    : points_x_(points_x),
      points_y_(points_y),
      spacing_(extent.x / points_x),
      extent_(extent),
      boundaries_(boundaries) {
  require_multiple("x", points_x);
  require_multiple("y", points_y);
  const double spacing_y = extent.y / points_y;
  if (std::abs(spacing_ - spacing_y) > 1e-12 * spacing_) {
    throw std::invalid_argument(fmt::format(
        "{} × {} points on a domain of {} × {} give unequal spacings in x and y; choose counts in "
        "the domain's proportion",
        points_x, points_y, extent.x, extent.y));
  }
}

PatchId Geometry::wrap(PatchId id) const {
  if (boundaries_.x == BoundaryKind::kPeriodic) id.i = wrap_index(id.i, patches_x(id.level));
  if (boundaries_.y == BoundaryKind::kPeriodic) id.j = wrap_index(id.j, patches_y(id.level));
  return id;
}

}  // namespace kumiko::amr
