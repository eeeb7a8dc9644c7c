#include "simulation/state_sampler.hpp"

#include <algorithm>
#include <array>

#include "ghosts/boundary_fill.hpp"
#include "ghosts/one_sided.hpp"

namespace kumiko::amr {

namespace {

/// Ghost layers that both prolongations read.
constexpr int kReach = 2;
static_assert(kReach == kCellReach);

template <class Visit>
void for_each_place(const PlaceRange& range, Visit visit) {
  for (int j = range.j0; j < range.j1; ++j) {
    for (int i = range.i0; i < range.i1; ++i) visit(PatchId{range.level, i, j});
  }
}

bool is_in(const PlaceRange& range, const PatchId& place) {
  return place.i >= range.i0 && place.i < range.i1 && place.j >= range.j0 && place.j < range.j1;
}

/// The place of the patch that has a point, along an axis; the point may lie below 0.
int patch_at(int point) {
  static_assert(kPatchSize == 16);
  return point >> 4;
}

/// The points of a neighbour that are ghosts of a patch, along one axis, in the patch's indices.
struct GhostStretch {
  int first;
  int last;
};
GhostStretch ghost_stretch(int step) {
  if (step < 0) return {-kReach, 0};
  return step > 0 ? GhostStretch{kPatchSize, kPatchSize + kReach} : GhostStretch{0, kPatchSize};
}

}  // namespace

std::size_t PlaceRange::size() const {
  return static_cast<std::size_t>(i1 - i0) * static_cast<std::size_t>(j1 - j0);
}

std::span<double> StateSampler::Block::at(int i, int j) {
  const auto row = static_cast<std::size_t>(j - range.j0);
  const auto place =
      row * static_cast<std::size_t>(range.i1 - range.i0) + static_cast<std::size_t>(i - range.i0);
  return std::span(values).subspan(place * kPatchPoints, kPatchPoints);
}

StateSampler::StateSampler(const SavedRun& run, const Geometry& geometry, const Case* problem,
                           std::size_t component)
    : run_(run),
      geometry_(geometry),
      case_(problem),
      component_(component),
      transfer_(transfer_operators(geometry.centring())) {}

/// Of the patch at a place; empty if the mesh has none there.
std::span<const double> StateSampler::stored(const PatchId& place) const {
  const PatchId id = geometry_.base_grid().wrap(place);
  const std::int32_t slot = run_.mesh.find(id);
  if (slot < 0) return {};
  return run_.values(id.level, static_cast<std::size_t>(slot), component_);
}

/// The smallest range with all places that have no patch.
PlaceRange StateSampler::missing(const PlaceRange& range) const {
  PlaceRange result{range.level, range.i1, range.i0, range.j1, range.j0};
  for_each_place(range, [&](const PatchId& place) {
    if (!stored(place).empty()) return;
    result.i0 = std::min(result.i0, place.i);
    result.i1 = std::max(result.i1, place.i + 1);
    result.j0 = std::min(result.j0, place.j);
    result.j1 = std::max(result.j1, place.j + 1);
  });
  return result;
}

/// The places of a range that the domain has.
PlaceRange StateSampler::within(PlaceRange range) const {
  if (!geometry_.boundaries().periodic_x()) {
    range.i0 = std::max(range.i0, 0);
    range.i1 = std::min(range.i1, geometry_.patches_x(range.level));
  }
  if (!geometry_.boundaries().periodic_y()) {
    range.j0 = std::max(range.j0, 0);
    range.j1 = std::min(range.j1, geometry_.patches_y(range.level));
  }
  return range;
}

/// The places below those of a range, and around them as far as the domain reaches.
PlaceRange StateSampler::below(const PlaceRange& range) const {
  return within({range.level - 1, (range.i0 >> 1) - 1, ((range.i1 - 1) >> 1) + 2,
                 (range.j0 >> 1) - 1, ((range.j1 - 1) >> 1) + 2});
}

StateSampler::Block StateSampler::gather(const PlaceRange& range) {
  Block block{range, std::vector<double>(range.size() * kPatchPoints)};
  visit(range, [&](const PatchId& place, std::span<const double> values) {
    std::ranges::copy(values, block.at(place.i, place.j).begin());
  });
  return block;
}

void StateSampler::visit(const PlaceRange& range, const Visit& visit) {
  for_each_place(range, [&](const PatchId& place) {
    if (const auto values = stored(place); !values.empty()) visit(place, values);
  });
  const PlaceRange wanted = missing(range);
  if (wanted.empty()) return;
  Block parents = gather(below(wanted));
  const PlaceRange inner{wanted.level - 1, wanted.i0 >> 1, ((wanted.i1 - 1) >> 1) + 1,
                         wanted.j0 >> 1, ((wanted.j1 - 1) >> 1) + 1};
  for_each_place(inner,
                 [&](const PatchId& parent) { prolong_children(parents, parent, wanted, visit); });
}

void StateSampler::copy_window(const Box<2>& window, std::span<double> values) {
  const PlaceRange range =
      within({window.level, patch_at(window.begin[0]), patch_at(window.end[0] - 1) + 1,
              patch_at(window.begin[1]), patch_at(window.end[1] - 1) + 1});
  Block places =
      gather(within({range.level, range.i0 - 1, range.i1 + 1, range.j0 - 1, range.j1 + 1}));
  std::array<double, PatchView::size(1, kReach)> one;
  const PatchView view(one.data(), 1, kReach);
  const int width = window.end[0] - window.begin[0];
  for_each_place(range, [&](const PatchId& place) {
    fill_with_ghosts(places, place, view);
    Box<2> points = box_of(place);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      points.begin[axis] -= kReach;
      points.end[axis] += kReach;
    }
    points = points & window;
    for (int j = points.begin[1]; j < points.end[1]; ++j) {
      const double* const from =
          view.origin() + (j - place.j * kPatchSize) * view.stride() - place.i * kPatchSize;
      std::copy(from + points.begin[0], from + points.end[0],
                values.begin() + (j - window.begin[1]) * width + points.begin[0] - window.begin[0]);
    }
  });
}

/// Those children that are wanted and that the mesh does not have.
void StateSampler::prolong_children(Block& parents, const PatchId& parent, const PlaceRange& wanted,
                                    const Visit& visit) {
  std::array<double, PatchView::size(1, kReach)> coarse;
  std::array<double, kPatchPoints> fine;
  const PatchView from(coarse.data(), 1, kReach);
  bool is_filled = false;
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    const PatchId child = parent.child(quadrant);
    if (!is_in(wanted, child) || !stored(child).empty()) continue;
    if (!is_filled) fill_with_ghosts(parents, parent, from);
    is_filled = true;
    transfer_.prolong(from, quadrant, PatchView(fine.data(), 1, 0));
    visit(child, fine);
  }
}

void StateSampler::fill_with_ghosts(Block& places, const PatchId& place, PatchView target) {
  const auto copy = [&](Direction to) {
    const std::span<const double> values = places.at(place.i + to.dx, place.j + to.dy);
    const GhostStretch x = ghost_stretch(to.dx);
    const GhostStretch y = ghost_stretch(to.dy);
    for (int j = y.first; j < y.last; ++j) {
      for (int i = x.first; i < x.last; ++i) {
        const int at = (j - to.dy * kPatchSize) * kPatchSize + i - to.dx * kPatchSize;
        target(i, j) = values[static_cast<std::size_t>(at)];
      }
    }
  };
  copy({0, 0});
  const PatchId id = geometry_.base_grid().wrap(place);
  unsigned outside = 0;
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    const Direction to = kDirections[d];
    const bool is_inside = geometry_.base_grid().neighbour(id, {to.dx, to.dy}).has_value();
    if (is_inside) {
      copy(to);
    } else {
      outside |= 1U << d;
    }
  }
  if (outside == 0) return;
  if (case_ != nullptr) {
    fill_outside(geometry_, *case_, id, outside, target, run_.time, static_cast<int>(component_));
  } else {
    fill_one_sided(geometry_.centring(), outside, target);
    is_one_sided_ = true;
  }
}

}  // namespace kumiko::amr
