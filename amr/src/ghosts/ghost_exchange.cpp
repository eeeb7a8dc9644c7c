#include "ghosts/ghost_exchange.hpp"

#include <array>

#include "ghosts/boundary_fill.hpp"
#include "ghosts/cell_ghosts.hpp"
#include "plan/ghost_region.hpp"
#include "transfer/cubic.hpp"

namespace kumiko::amr {

namespace {

constexpr std::size_t kLargestRegion = kPatchSize * kLargestGhosts;

State other(State state) { return state == State::kNow ? State::kNext : State::kNow; }

}  // namespace

void GhostExchange::fill(int level, std::size_t slot, State state, const GhostTime& when) const {
  Patch& patch = hierarchy_.level(level).patch(slot);
  const PatchView target = patch.state(state);
  const PatchReads reads = hierarchy_.plan().of(level, slot);
  copy_siblings_(hierarchy_.level(level), reads.siblings, state, target);
  if (!reads.coarser.empty()) {
    const Level& coarser = hierarchy_.level(level - 1);
    if (interpolation_ == TimeInterpolation::kCharacteristic && when.since_coarse > 0.0 &&
        !cells_) {
      departures_.fill(level, slot, target, when);
    } else {
      for (const PlannedRead& read : reads.coarser) {
        fill_from_coarse(coarser.read(ReadState::kCoarse, static_cast<std::size_t>(read.slot)),
                         read, when, target);
      }
    }
  }
  if (reads.outside != 0) {
    fill_outside(hierarchy_.geometry(), case_, patch.id(), reads.outside, target, when.time);
  }
}

void GhostExchange::fill_from_coarse(const Patch& coarse, const PlannedRead& read,
                                     const GhostTime& when, PatchView target) const {
  const GhostRegion region(kDirections[read.direction], target.ghosts());
  const HalfBlock block{region.i0 + region.coarse_shift_i(read.quadrant),
                        region.j0 + region.coarse_shift_j(read.quadrant), region.i1 - region.i0,
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
