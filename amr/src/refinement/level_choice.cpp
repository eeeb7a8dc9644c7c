#include "refinement/level_choice.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <span>
#include <utility>

namespace kumiko::amr {

namespace {

/// The quadrants of a patch that get a child, and those that would if it nested: one bit each.
struct ChosenQuadrants {
  PatchId patch;
  std::uint8_t wanted = 0;
  std::uint8_t unnested = 0;
};

/// The quadrants of a patch that touch the patch beside it.
constexpr unsigned quadrants_towards(Direction d) {
  unsigned quadrants = 0b1111;
  if (d.dx != 0) quadrants &= d.dx > 0 ? 0b1010U : 0b0101U;
  if (d.dy != 0) quadrants &= d.dy > 0 ? 0b1100U : 0b0011U;
  return quadrants;
}

/// The quadrants that have a child.
unsigned covered_quadrants(const ReadPlan& plan, int level, std::size_t slot) {
  unsigned covered = 0;
  unsigned bit = 1;
  for (const std::int32_t child : plan.children(level, slot)) {
    if (child >= 0) covered |= bit;
    bit <<= 1;
  }
  return covered;
}

/// The quadrants whose child nests: all patches beside them are there.
unsigned nesting_quadrants(const ReadPlan& plan, int level, std::size_t slot) {
  const PatchReads reads = plan.of(level, slot);
  unsigned there = reads.outside;
  for (const PlannedRead& read : reads.siblings) there |= 1U << read.direction;
  unsigned nesting = 0b1111;
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    if ((there >> d & 1U) == 0) nesting &= ~quadrants_towards(kDirections[d]);
  }
  return nesting;
}

/// Joins what several ranks say of a patch.
std::vector<ChosenQuadrants> chosen_quadrants(
    const Mesh<2>& mesh, const ReadPlan& plan, int level,
    const std::vector<PatchValue<TaggedQuadrants>>& tagged, const Regions& regions) {
  const std::span<const PatchId> ids = mesh.ids(level);
  std::vector<ChosenQuadrants> all;
  std::size_t slot = 0;
  for (auto part = tagged.begin(); part != tagged.end();) {
    const PatchId& patch = part->patch;
    while (ids[slot] < patch) ++slot;
    TaggedQuadrants joined;
    for (; part != tagged.end() && part->patch == patch; ++part) {
      joined.refine |= part->value.refine;
      joined.keep |= part->value.keep;
    }
    unsigned chosen = joined.refine | (joined.keep & covered_quadrants(plan, level, slot));
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      if (!regions.allow(patch.child(quadrant))) chosen &= ~(1U << quadrant);
    }
    const unsigned nesting = nesting_quadrants(plan, level, slot);
    all.push_back({ids[slot], static_cast<std::uint8_t>(chosen & nesting),
                   static_cast<std::uint8_t>(chosen & ~nesting)});
  }
  return all;
}

/// The children in canonical order: of each row of patches the lower quadrants, then the upper.
std::vector<PatchId> children_of(const std::vector<ChosenQuadrants>& chosen) {
  std::vector<PatchId> children;
  for (auto row = chosen.begin(); row != chosen.end();) {
    const auto end = std::find_if(
        row, chosen.end(), [&](const ChosenQuadrants& one) { return one.patch.j != row->patch.j; });
    for (const int lower : {0, 2}) {
      for (auto one = row; one != end; ++one) {
        for (const int quadrant : {lower, lower + 1}) {
          if ((one->wanted >> quadrant & 1U) != 0) children.push_back(one->patch.child(quadrant));
        }
      }
    }
    row = end;
  }
  return children;
}

/// Adds to patches those of another list that are not among them; both in canonical order.
void add_others(std::vector<PatchId>& patches, const std::vector<PatchId>& others) {
  if (others.empty()) return;
  std::vector<PatchId> all;
  all.reserve(patches.size() + others.size());
  std::set_union(patches.begin(), patches.end(), others.begin(), others.end(),
                 std::back_inserter(all));
  patches = std::move(all);
}

}  // namespace

LevelChoice choose_level(const Mesh<2>& mesh, const ReadPlan& plan, int level,
                         const std::vector<PatchValue<TaggedQuadrants>>& tagged,
                         const std::vector<PatchId>& held, const Regions& regions) {
  LevelChoice choice;
  const auto chosen = chosen_quadrants(mesh, plan, level, tagged, regions);
  for (const ChosenQuadrants& one : chosen) {
    choice.unnested += static_cast<std::size_t>(std::popcount(one.unnested));
  }
  choice.wanted = children_of(chosen);
  choice.ids = choice.wanted;
  add_others(choice.ids, held);
  add_others(choice.ids, regions.forced(level + 1));
  return choice;
}

}  // namespace kumiko::amr
