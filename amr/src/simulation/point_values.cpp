#include "simulation/point_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <kumiko/amr/cubic_weights.hpp>
#include <kumiko/amr/require.hpp>

#include "observation/grid_place.hpp"

namespace kumiko::amr {

static_assert(kAxes == 2, "the interpolation goes along x, then along y");

namespace {

/// A point along an axis: in the cell between two nodes, or in a finite-volume cell.
struct AxisPlace {
  int cell = 0;           ///< index within the level
  double fraction = 0.0;  ///< of the way from the cell's lower end to its upper one, 0 to 1
};

/// The last cell ends with the domain's side, which belongs to it unless the axis is periodic.
AxisPlace axis_place(double coordinate, double spacing, int cells, bool is_periodic) {
  const double place = grid_place(coordinate, spacing);
  const int cell = static_cast<int>(std::floor(place));
  if (cell < cells) return {cell, place - cell};
  if (is_periodic) return {};
  return {cells - 1, 1.0};
}

/// The finest patch that covers a point, and the point's place in it.
struct PlaceInPatch {
  int level = 0;
  std::size_t slot = 0;
  AxisPlace x;  ///< cells of the patch
  AxisPlace y;

  /// Whether the 4×4 points around it include ghosts.
  bool needs_ghosts() const { return reaches_out(x) || reaches_out(y); }

 private:
  static bool reaches_out(const AxisPlace& place) {
    return place.cell < 1 || place.cell + 2 >= kPatchSize;
  }
};

PlaceInPatch find_place(const Hierarchy& hierarchy, double x, double y) {
  const Geometry& geometry = hierarchy.geometry();
  for (int level = hierarchy.used_levels() - 1;; --level) {
    const double spacing = geometry.spacing(level);
    AxisPlace along_x =
        axis_place(x, spacing, geometry.points_x(level), geometry.boundaries().periodic_x());
    AxisPlace along_y =
        axis_place(y, spacing, geometry.points_y(level), geometry.boundaries().periodic_y());
    const PatchId id{level, along_x.cell / kPatchSize, along_y.cell / kPatchSize};
    const std::int32_t slot = hierarchy.mesh().find(id);
    if (slot < 0) continue;  // level 0 covers the domain
    along_x.cell %= kPatchSize;
    along_y.cell %= kPatchSize;
    return {level, static_cast<std::size_t>(slot), along_x, along_y};
  }
}

std::vector<PlaceInPatch> find_places(const Hierarchy& hierarchy, Points points) {
  std::vector<PlaceInPatch> places;
  places.reserve(points.size());
  for (std::size_t at = 0; at < points.size(); ++at) {
    places.push_back(find_place(hierarchy, points.x[at], points.y[at]));
  }
  return places;
}

/// Fills the ghosts that the interpolation reads, and those that the former are interpolated from.
/// By the mesh alone, so that all ranks know which patches these are.
void fill_ghosts_at(Run& run, const std::vector<PlaceInPatch>& places) {
  const Hierarchy& hierarchy = run.hierarchy;
  ByPatch<char> needed(static_cast<std::size_t>(hierarchy.used_levels()));
  const auto mark = [&](int level, std::size_t slot) {
    std::vector<char>& marks = needed[static_cast<std::size_t>(level)];
    marks.resize(hierarchy.mesh().size(level));
    marks[slot] = 1;
  };
  for (const PlaceInPatch& place : places) {
    if (place.needs_ghosts()) mark(place.level, place.slot);
  }
  for (int level = hierarchy.used_levels() - 1; level > 0; --level) {
    const std::vector<char>& marks = needed[static_cast<std::size_t>(level)];
    for (std::size_t slot = 0; slot < marks.size(); ++slot) {
      if (marks[slot] == 0) continue;
      for (const PlannedRead& read : hierarchy.plan().of(level, slot).coarser) {
        mark(level - 1, static_cast<std::size_t>(read.slot));
      }
    }
  }
  for (int level = 0; level < hierarchy.used_levels(); ++level) {
    const std::vector<char>& marks = needed[static_cast<std::size_t>(level)];
    if (marks.empty()) continue;
    run.stepper.shadows().refresh(level);
    run.backend.for_each(hierarchy.level(level), [&](std::size_t slot, int) {
      if (marks[slot] != 0) run.fill_ghosts(level, slot);
    });
  }
}

/// Cubic along x on four rows, then along y, as in the solver's own step.
double interpolate(ConstPatchView field, const PlaceInPatch& place, int component) {
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

/// The values of this rank's points, point by point.
std::vector<double> own_values(const Run& run, const std::vector<PlaceInPatch>& places) {
  const Hierarchy& hierarchy = run.hierarchy;
  const bool is_cells = hierarchy.geometry().centring() == Centring::kCell;
  std::vector<double> values;
  for (const PlaceInPatch& place : places) {
    if (hierarchy.mesh().ranks(place.level)[place.slot] != hierarchy.communicator()) continue;
    const ConstPatchView field = hierarchy.level(place.level).patch(place.slot).now();
    for (int component = 0; component < field.components(); ++component) {
      values.push_back(is_cells ? field(place.x.cell, place.y.cell, component)
                                : interpolate(field, place, component));
    }
  }
  return values;
}

}  // namespace

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

std::vector<std::vector<double>> point_values(Run& run, Points points) {
  const Hierarchy& hierarchy = run.hierarchy;
  const std::vector<PlaceInPatch> places = find_places(hierarchy, points);
  if (hierarchy.geometry().centring() == Centring::kNode) fill_ghosts_at(run, places);
  const std::vector<std::vector<double>> by_rank =
      gather(run.communicator, own_values(run, places));
  std::vector<std::size_t> next(by_rank.size());
  std::vector<std::vector<double>> values(static_cast<std::size_t>(hierarchy.shape().components));
  for (const PlaceInPatch& place : places) {
    const auto rank = static_cast<std::size_t>(hierarchy.mesh().ranks(place.level)[place.slot]);
    for (std::vector<double>& of_component : values) {
      of_component.push_back(by_rank[rank][next[rank]++]);
    }
  }
  return values;
}

}  // namespace kumiko::amr
