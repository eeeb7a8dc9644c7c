#include "refinement/level_choice.hpp"

#include <span>

namespace kumiko::amr {

namespace {

/// The quadrants that tags ask for, by slot: what several owners say of a patch is joined.
std::vector<std::uint8_t> chosen_quadrants(const Mesh<2>& mesh, int level,
                                           const std::vector<Part<TaggedQuadrants>>& tagged) {
  std::vector<std::uint8_t> chosen(mesh.size(level), 0);
  const std::vector<std::uint8_t> refined = mesh.covered_quadrants(level);
  for (const Part<TaggedQuadrants>& part : tagged) {
    const auto slot = static_cast<std::size_t>(mesh.find(part.patch));
    chosen[slot] |= part.value.refine | (part.value.keep & refined[slot]);
  }
  return chosen;
}

}  // namespace

LevelChoice choose_level(const Mesh<2>& mesh, int level,
                         const std::vector<Part<TaggedQuadrants>>& tagged,
                         const std::vector<PatchId>& held, const Regions& regions) {
  LevelChoice choice;
  const std::vector<std::uint8_t> chosen = chosen_quadrants(mesh, level, tagged);
  for (std::size_t slot = 0; slot < chosen.size(); ++slot) {
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      if ((chosen[slot] >> quadrant & 1U) == 0) continue;
      const PatchId child = mesh.ids(level)[slot].child(quadrant);
      if (!regions.allow(child)) continue;
      if (mesh.nests(child)) {
        choice.wanted.push_back(child);
      } else {
        ++choice.unnested;
      }
    }
  }
  sort_unique(choice.wanted);
  choice.ids = choice.wanted;
  choice.ids.insert(choice.ids.end(), held.begin(), held.end());
  const std::vector<PatchId>& forced = regions.forced(level + 1);
  choice.ids.insert(choice.ids.end(), forced.begin(), forced.end());
  sort_unique(choice.ids);
  return choice;
}

}  // namespace kumiko::amr
