#include "ghost_exchange.hpp"

#include <algorithm>
#include <array>

#include "cubic.hpp"

namespace kumiko::amr {

namespace {

constexpr int kLargestGhosts = 8;
constexpr std::size_t kLargestRegion = kPatchSize * kLargestGhosts;

ConstPatchView view(const Patch& patch, State state) {
  return state == State::kNow ? patch.now() : patch.next();
}

}  // namespace

/// The ghosts on one side, in the patch's indices: i0 <= i < i1, j0 <= j < j1. Adding the shift
/// gives the same points in the indices of the neighbour's place.
struct GhostExchange::Region {
  int i0, i1, j0, j1;
  int shift_i, shift_j;

  Region(Direction d, int ghosts)
      : i0(d.dx < 0 ? -ghosts : (d.dx > 0 ? kPatchSize : 0)),
        i1(d.dx < 0 ? 0 : (d.dx > 0 ? kPatchSize + ghosts : kPatchSize)),
        j0(d.dy < 0 ? -ghosts : (d.dy > 0 ? kPatchSize : 0)),
        j1(d.dy < 0 ? 0 : (d.dy > 0 ? kPatchSize + ghosts : kPatchSize)),
        shift_i(-d.dx * kPatchSize),
        shift_j(-d.dy * kPatchSize) {}
};

void GhostExchange::fill(int level, std::size_t slot, State state, const GhostTime& when) const {
  Patch& patch = hierarchy_.level(level).patch(slot);
  const PatchView target = state == State::kNow ? patch.now() : patch.next();
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    const Region region(kDirections[d], target.ghosts());
    const GhostSource& source = patch.ghost_sources[d];
    const auto source_slot = static_cast<std::size_t>(source.slot);
    switch (source.kind) {
      case GhostSource::Kind::kSibling:
        copy_sibling(hierarchy_.level(level).patch(source_slot), state, region, target);
        break;
      case GhostSource::Kind::kOutside:
        fill_outside(region, target);
        break;
      case GhostSource::Kind::kCoarse: {
        const Patch& coarse = hierarchy_.level(level - 1).patch(source_slot);
        if (interpolation_ == TimeInterpolation::kCharacteristic && when.since_coarse > 0.0) {
          trace_from_coarse(coarse, source, region, when, target);
        } else {
          fill_from_coarse(coarse, source, region, when, target);
        }
        break;
      }
    }
  }
}

void GhostExchange::copy_sibling(const Patch& source, State state, const Region& region,
                                 PatchView target) const {
  const ConstPatchView from = view(source, state);
  for (int component = 0; component < target.components(); ++component) {
    for (int j = region.j0; j < region.j1; ++j) {
      const double* const row = &from(region.i0 + region.shift_i, j + region.shift_j, component);
      std::copy(row, row + (region.i1 - region.i0), &target(region.i0, j, component));
    }
  }
}

void GhostExchange::fill_outside(const Region& region, PatchView target) const {
  const double value = hierarchy_.geometry().boundaries().value;
  for (int component = 0; component < target.components(); ++component) {
    for (int j = region.j0; j < region.j1; ++j) {
      double* const row = &target(region.i0, j, component);
      std::fill(row, row + (region.i1 - region.i0), value);
    }
  }
}

void GhostExchange::fill_from_coarse(const Patch& coarse, const GhostSource& source,
                                     const Region& region, const GhostTime& when,
                                     PatchView target) const {
  const int shift_i = region.shift_i + kPatchSize * (source.quadrant & 1);
  const int shift_j = region.shift_j + kPatchSize * (source.quadrant >> 1);
  for (int component = 0; component < target.components(); ++component) {
    for (int j = region.j0; j < region.j1; ++j) {
      for (int i = region.i0; i < region.i1; ++i) {
        const auto at = [&](ConstPatchView state) {
          return interpolate_half(state, component, i + shift_i, j + shift_j);
        };
        double value = 0.0;
        if (when.fraction == 0.0) {
          value = at(coarse.now());
        } else if (when.fraction == 1.0) {
          value = at(coarse.next());
        } else {
          const double start = at(coarse.now());
          value = start + when.fraction * (at(coarse.next()) - start);
        }
        target(i, j, component) = value;
      }
    }
  }
}

void GhostExchange::trace_from_coarse(const Patch& coarse, const GhostSource& source,
                                      const Region& region, const GhostTime& when,
                                      PatchView target) const {
  const Geometry& geometry = hierarchy_.geometry();
  const int fine_level = coarse.id().level + 1;
  // Indices within the coarse patch, counted in fine points.
  const int shift_i = region.shift_i + kPatchSize * (source.quadrant & 1);
  const int shift_j = region.shift_j + kPatchSize * (source.quadrant >> 1);
  std::array<double, kLargestRegion> x, y, dx, dy;
  std::size_t count = 0;
  for (int j = region.j0; j < region.j1; ++j) {
    for (int i = region.i0; i < region.i1; ++i) {
      x[count] = geometry.coordinate(fine_level, coarse.id().i * 2 * kPatchSize + i + shift_i);
      y[count] = geometry.coordinate(fine_level, coarse.id().j * 2 * kPatchSize + j + shift_j);
      ++count;
    }
  }
  solver_.displacement(case_, {{x.data(), count}, {y.data(), count}}, when.time, when.since_coarse,
                       {{dx.data(), count}, {dy.data(), count}});
  const double per_spacing = 1.0 / geometry.spacing(coarse.id().level);
  const ConstPatchView from = coarse.now();
  for (int component = 0; component < target.components(); ++component) {
    std::size_t at = 0;
    for (int j = region.j0; j < region.j1; ++j) {
      for (int i = region.i0; i < region.i1; ++i, ++at) {
        target(i, j, component) =
            interpolate(from, component, 0.5 * (i + shift_i) + dx[at] * per_spacing,
                        0.5 * (j + shift_j) + dy[at] * per_spacing);
      }
    }
  }
}

}  // namespace kumiko::amr
