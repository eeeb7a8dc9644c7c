#include "refinement/regions.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/core.h>

namespace kumiko::amr {

namespace {

/// Bit k is set where point k of a patch lies within [low, high] along an axis.
std::uint32_t points_within(const Geometry& geometry, int level, int patch, double low,
                            double high) {
  std::uint32_t bits = 0;
  for (int point = 0; point < kPatchSize; ++point) {
    const double at = geometry.coordinate(level, patch * kPatchSize + point);
    if (at >= low && at <= high) bits |= std::uint32_t{1} << point;
  }
  return bits;
}

/// The patches along an axis, of `count`, that have a point within [low, high].
std::vector<int> patches_within(const Geometry& geometry, int level, int count, double low,
                                double high) {
  std::vector<int> patches;
  for (int patch = 0; patch < count; ++patch) {
    if (points_within(geometry, level, patch, low, high) != 0) patches.push_back(patch);
  }
  return patches;
}

void require_overlap(const Extent& extent, const RefinementRegion& region, std::size_t index) {
  const auto require = [index](const char* option, double from, double to, double end) {
    if (to >= 0.0 && from <= end) return;
    throw OptionError(option, fmt::format("[{:g}, {:g}]", from, to),
                      fmt::format("the region lies outside the domain, [0, {:g}]", end), index);
  };
  require("x", region.x0, region.x1, extent.x);
  require("y", region.y0, region.y1, extent.y);
}

}  // namespace

void sort_unique(std::vector<PatchId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

void add_support(const BaseGrid<2>& base, const std::vector<PatchId>& patches,
                 std::vector<PatchId>& coarser) {
  for (const PatchId& id : patches) {
    coarser.push_back(id.parent());
    for (const Direction& d : kDirections) {
      const auto neighbour = base.neighbour(id, {d.dx, d.dy});
      if (neighbour) coarser.push_back(neighbour->parent());
    }
  }
}

void check_overlap(const Extent& extent, const std::vector<RefinementRegion>& regions) {
  for (std::size_t index = 0; index < regions.size(); ++index) {
    require_overlap(extent, regions[index], index);
  }
}

Regions::Regions(const Geometry& geometry, int max_levels, std::vector<RefinementRegion> regions)
    : geometry_(geometry),
      regions_(std::move(regions)),
      forced_(static_cast<std::size_t>(max_levels)) {
  check_overlap(geometry.extent(), regions_);
  for (const RefinementRegion& region : regions_) {
    for (int level = 1; level <= std::min(region.min_level, max_levels - 1); ++level) {
      force(level, region);
    }
  }
  for (std::size_t level = forced_.size(); level-- > 1;) {
    sort_unique(forced_[level]);
    if (level > 1) add_support(geometry_.base_grid(), forced_[level], forced_[level - 1]);
  }
}

void Regions::force(int level, const RefinementRegion& region) {
  const auto columns =
      patches_within(geometry_, level, geometry_.patches_x(level), region.x0, region.x1);
  const auto rows =
      patches_within(geometry_, level, geometry_.patches_y(level), region.y0, region.y1);
  for (const int j : rows) {
    for (const int i : columns) forced_[static_cast<std::size_t>(level)].push_back({level, i, j});
  }
}

bool Regions::allow(const PatchId& id) const {
  if (regions_.empty()) return true;
  std::array<std::uint32_t, kPatchSize> forbidden{};  // by some box
  std::array<std::uint32_t, kPatchSize> allowed{};    // by some box
  for (const RefinementRegion& region : regions_) {
    const std::uint32_t columns = points_within(geometry_, id.level, id.i, region.x0, region.x1);
    const std::uint32_t rows = points_within(geometry_, id.level, id.j, region.y0, region.y1);
    auto& points = region.max_level >= id.level ? allowed : forbidden;
    for (std::size_t j = 0; j < kPatchSize; ++j) {
      if ((rows >> j & 1U) != 0) points[j] |= columns;
    }
  }
  for (std::size_t j = 0; j < kPatchSize; ++j) {
    if ((forbidden[j] & ~allowed[j]) != 0) return false;
  }
  return true;
}

}  // namespace kumiko::amr
