#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/require.hpp>

namespace kumiko::amr {

namespace {

void require_multiple(const char* axis, int points) {
  require(points >= kPatchSize && points % kPatchSize == 0,
          "the base grid has {} points in {}; it needs a positive multiple of {}", points, axis,
          kPatchSize);
}

void require_pair(const Boundaries& boundaries, Side one, Side other) {
  const auto periodic = [&](Side side) {
    return boundaries.sides()[static_cast<std::size_t>(side)].kind == BoundaryKind::kPeriodic;
  };
  if (!periodic(one)) std::swap(one, other);
  require(periodic(one) == periodic(other),
          "the domain is periodic on its {} side but not on its {} side; make both periodic, or "
          "neither",
          to_string(one), to_string(other));
}

void require_boundaries(const Boundaries& boundaries) {
  require_pair(boundaries, Side::kLeft, Side::kRight);
  require_pair(boundaries, Side::kBottom, Side::kTop);
  const std::array<Boundary, 4> sides = boundaries.sides();
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const Boundary& boundary = sides[side];
    require(boundary.kind != BoundaryKind::kFixedValue || std::isfinite(boundary.value),
            "the value beyond the domain's {} side is {}; it must be finite",
            to_string(static_cast<Side>(side)), boundary.value);
  }
}

}  // namespace

bool Boundaries::is_open() const {
  const std::array<Boundary, 4> all = sides();
  return std::any_of(all.begin(), all.end(),
                     [](const Boundary& side) { return amr::is_open(side.kind); });
}

const char* to_string(Side side) {
  constexpr std::array<const char*, 4> kNames = {"left", "right", "bottom", "top"};
  return kNames[static_cast<std::size_t>(side)];
}

Geometry::Geometry(int points_x, int points_y, Extent extent, const Boundaries& boundaries,
                   Centring centring)
    : base_{{points_x / kPatchSize, points_y / kPatchSize},
            {extent.x, extent.y},
            {boundaries.periodic_x(), boundaries.periodic_y()}},
      spacing_(extent.x / points_x),
      boundaries_(boundaries),
      centring_(centring),
      offset_(centring == Centring::kCell ? 0.5 : 0.0) {
  require_multiple("x", points_x);
  require_multiple("y", points_y);
  require_boundaries(boundaries);
  const double spacing_y = extent.y / points_y;
  require(!(std::abs(spacing_ - spacing_y) > 1e-12 * spacing_),
          "`points` = [{}, {}] on the case's domain of {} × {} gives spacings of {:.6g} in x and "
          "{:.6g} in y, which must be equal; set `points` in the domain's proportion",
          points_x, points_y, extent.x, extent.y, spacing_, spacing_y);
}

}  // namespace kumiko::amr
