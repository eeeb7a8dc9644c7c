#include "transfer/reflux.hpp"

#include <array>

namespace kumiko::amr {

namespace {

/// What distinguishes the sides, in the order of Side.
struct SideOf {
  FaceAxis axis;
  bool upper;             ///< right or top
  std::size_t direction;  ///< index in kDirections
};
constexpr std::array<SideOf, 4> kSides = {{{FaceAxis::kX, false, 3},
                                           {FaceAxis::kX, true, 4},
                                           {FaceAxis::kY, false, 1},
                                           {FaceAxis::kY, true, 6}}};

constexpr Side side_at(std::size_t index) { return static_cast<Side>(index); }
/// Left and right, bottom and top are next to each other.
constexpr Side opposite(std::size_t index) { return static_cast<Side>(index ^ 1U); }

/// The finer patch beyond a side of a quadrant of the patch in a slot, or -1.
std::int32_t finer_beyond(const ReadPlan& plan, int level, std::size_t slot, int quadrant,
                          const SideOf& side) {
  const int bit = side.axis == FaceAxis::kX ? 1 : 2;
  const auto across = static_cast<std::size_t>(quadrant ^ bit);
  const bool quadrant_is_upper = (quadrant & bit) != 0;
  if (quadrant_is_upper != side.upper) return plan.children(level, slot)[across];
  for (const PlannedRead& read : plan.of(level, slot).siblings) {
    if (read.direction != side.direction) continue;
    return plan.children(level, static_cast<std::size_t>(read.slot))[across];
  }
  return -1;  // Proper nesting: this level has no gap beside a finer patch.
}

/// Corrects the 8 points of a quadrant along one of its sides.
void correct(const Patch& coarse, const Patch& fine, int quadrant, std::size_t side_index,
             double per_spacing, PatchView state) {
  const SideOf& side = kSides[side_index];
  const bool along_y = side.axis == FaceAxis::kX;
  const int i0 = quadrant_begin(quadrant, 0);
  const int j0 = quadrant_begin(quadrant, 1);
  const int line = (along_y ? i0 : j0) / kQuadrantSize + (side.upper ? 1 : 0);
  const int first_i = i0 + (along_y && side.upper ? kQuadrantSize - 1 : 0);
  const int first_j = j0 + (!along_y && side.upper ? kQuadrantSize - 1 : 0);
  const int first_face = along_y ? j0 : i0;
  const double sign = side.upper ? -per_spacing : per_spacing;
  for (int component = 0; component < state.components(); ++component) {
    const double* const had = coarse.fluxes().line(side.axis, line, component) + first_face;
    const double* const has = fine.flux_register().side(opposite(side_index), component);
    for (int k = 0; k < kQuadrantSize; ++k) {
      state(first_i + (along_y ? 0 : k), first_j + (along_y ? k : 0), component) +=
          sign * (has[k] - had[k]);
    }
  }
}

}  // namespace

void accumulate_fluxes(Patch& fine, int substep) {
  const FaceFluxes fluxes = fine.fluxes();
  for (int component = 0; component < fluxes.components(); ++component) {
    for (std::size_t index = 0; index < kSides.size(); ++index) {
      const double* const faces =
          fluxes.line(kSides[index].axis, kSides[index].upper ? 2 : 0, component);
      double* const sums = fine.flux_register().side(side_at(index), component);
      for (int k = 0; k < kQuadrantSize; ++k) {
        const double mean = 0.5 * (faces[2 * k] + faces[2 * k + 1]);
        sums[k] = substep == 0 ? mean : sums[k] + mean;
      }
    }
  }
}

void reflux(const Hierarchy& hierarchy, int index, std::size_t slot, PatchView state) {
  if (index + 1 >= hierarchy.max_levels()) return;
  const ReadPlan& plan = hierarchy.plan();
  const Level& finer = hierarchy.level(index + 1);
  const Patch& patch = hierarchy.level(index).patch(slot);
  const double per_spacing = 1.0 / hierarchy.geometry().spacing(index);
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    if (plan.children(index, slot)[static_cast<std::size_t>(quadrant)] >= 0) continue;
    for (std::size_t side = 0; side < kSides.size(); ++side) {
      const std::int32_t fine = finer_beyond(plan, index, slot, quadrant, kSides[side]);
      if (fine < 0) continue;
      correct(patch, finer.read(ReadState::kFine, static_cast<std::size_t>(fine)), quadrant, side,
              per_spacing, state);
    }
  }
}

}  // namespace kumiko::amr
