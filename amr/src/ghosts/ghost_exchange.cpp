#include "ghosts/ghost_exchange.hpp"

#include <algorithm>
#include <array>

#include "ghosts/boundary_fill.hpp"
#include "ghosts/cell_ghosts.hpp"
#include "ghosts/ghost_region.hpp"
#include "transfer/cubic.hpp"

namespace kumiko::amr {

namespace {

constexpr std::size_t kLargestRegion = kPatchSize * kLargestGhosts;

State other(State state) { return state == State::kNow ? State::kNext : State::kNow; }

}  // namespace

void GhostExchange::fill(int level, std::size_t slot, State state, const GhostTime& when) const {
  Patch& patch = hierarchy_.level(level).patch(slot);
  const PatchView target = patch.state(state);
  const bool by_departure =
      interpolation_ == TimeInterpolation::kCharacteristic && when.since_coarse > 0.0 && !cells_;
  bool coarse = false;
  bool outside = false;
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    const GhostSource& source = patch.ghost_sources[d];
    switch (source.kind) {
      case GhostSource::Kind::kSibling:
        copy_sibling(hierarchy_.level(level).patch(static_cast<std::size_t>(source.slot)), d, state,
                     target);
        break;
      case GhostSource::Kind::kOutside:
        outside = true;
        break;
      case GhostSource::Kind::kCoarse:
        coarse = true;
        if (!by_departure) fill_from_coarse(level, source, d, when, target);
        break;
    }
  }
  if (coarse && by_departure) {
    departures_.fill(patch, target, when.coarse, when.time, when.since_coarse);
  }
  if (outside) fill_outside(hierarchy_.geometry(), case_, patch, target, when.time);
}

void GhostExchange::copy_sibling(const Patch& source, std::size_t d, State state,
                                 PatchView target) const {
  const ConstPatchView from = source.state(state);
  for (int component = 0; component < target.components(); ++component) {
    (*side_copies_)[d](from.origin(component), target.origin(component));
  }
}

void GhostExchange::fill_from_coarse(int level, const GhostSource& source, std::size_t d,
                                     const GhostTime& when, PatchView target) const {
  const GhostRegion region(kDirections[d], target.ghosts());
  const Patch& coarse = hierarchy_.level(level - 1).patch(static_cast<std::size_t>(source.slot));
  const HalfBlock block{region.i0 + region.coarse_shift_i(source),
                        region.j0 + region.coarse_shift_j(source), region.i1 - region.i0,
                        region.j1 - region.j0};
  if (cells_) {
    const PointRange range{block.i2, block.i2 + block.width, block.j2, block.j2 + block.height};
    fill_cells_from_coarse(
        solver_, interpolation_,
        {coarse.state(when.coarse), coarse.state(other(when.coarse)), coarse.coefficients()},
        when.fraction, range, target, region.i0, region.j0);
    return;
  }
  for (int component = 0; component < target.components(); ++component) {
    double* const to = &target(region.i0, region.j0, component);
    const State start = when.fraction < 1.0 ? when.coarse : other(when.coarse);
    interpolate_block(coarse.state(start), component, block, to, target.stride());
    if (when.fraction == 0.0 || when.fraction == 1.0) continue;
    std::array<double, kLargestRegion> end;
    interpolate_block(coarse.state(other(when.coarse)), component, block, end.data(), block.width);
    for (int j = 0; j < block.height; ++j) {
      for (int i = 0; i < block.width; ++i) {
        double& value = to[j * target.stride() + i];
        value =
            value + when.fraction * (end[static_cast<std::size_t>(j * block.width + i)] - value);
      }
    }
  }
}

}  // namespace kumiko::amr
