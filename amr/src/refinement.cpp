#include "refinement.hpp"

#include <cmath>

namespace kumiko::amr {

namespace {

/// Tags of a patch and its eight neighbours: bit 16 + i of row 16 + j is point (i, j).
using Window = std::array<std::uint64_t, 3 * kPatchSize>;

double loehner(double um, double u, double up, double delta, double floor) {
  const double curvature = std::abs((um - 2.0 * u) + up);
  const double slopes = std::abs(um - u) + std::abs(u - up);
  const double filter = delta * ((std::abs(um) + 2.0 * std::abs(u)) + std::abs(up));
  return curvature / ((slopes + filter) + floor);
}

void add_tags(Window& window, const TagRows& tags, Direction d) {
  for (int row = 0; row < kPatchSize; ++row) {
    window[static_cast<std::size_t>(row + kPatchSize * (1 + d.dy))] |=
        static_cast<std::uint64_t>(tags[static_cast<std::size_t>(row)])
        << (kPatchSize * (1 + d.dx));
  }
}

Window gather(const Patch& patch, std::size_t slot, const std::vector<TagRows>& tags) {
  Window window{};
  add_tags(window, tags[slot], {0, 0});
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    const GhostSource& source = patch.ghost_sources[d];
    if (source.kind != GhostSource::Kind::kSibling) continue;
    add_tags(window, tags[static_cast<std::size_t>(source.slot)], kDirections[d]);
  }
  return window;
}

bool quadrant_is_tagged(const Window& window, int quadrant, int buffer) {
  const int first_i = kPatchSize + kQuadrantSize * (quadrant & 1) - buffer;
  const int first_j = kPatchSize + kQuadrantSize * (quadrant >> 1) - buffer;
  const int width = kQuadrantSize + 2 * buffer;
  const std::uint64_t columns = ((std::uint64_t{1} << width) - 1) << first_i;
  for (int row = first_j; row < first_j + width; ++row) {
    if ((window[static_cast<std::size_t>(row)] & columns) != 0) return true;
  }
  return false;
}

bool nests(const Hierarchy& hierarchy, const PatchId& child) {
  for (const Direction& d : kDirections) {
    const PatchId neighbour =
        hierarchy.geometry().wrap({child.level, child.i + d.dx, child.j + d.dy});
    if (!hierarchy.geometry().inside(neighbour)) continue;
    if (hierarchy.level(child.level - 1).find(neighbour.parent()) < 0) return false;
  }
  return true;
}

}  // namespace

TagRows loehner_tags(ConstPatchView patch, const RefinementOptions& options, double floor) {
  TagRows tags{};
  for (int component = 0; component < patch.components(); ++component) {
    for (int j = 0; j < kPatchSize; ++j) {
      const double* const row = patch.origin(component) + j * patch.stride();
      for (int i = 0; i < kPatchSize; ++i) {
        const double* const u = row + i;
        const double along_x = loehner(u[-1], u[0], u[1], options.delta, floor);
        const double along_y =
            loehner(u[-patch.stride()], u[0], u[patch.stride()], options.delta, floor);
        // Comparing each alone treats 0 / 0, possible with floor = 0, as "not tagged".
        const bool tagged = along_x > options.threshold || along_y > options.threshold;
        tags[static_cast<std::size_t>(j)] |=
            static_cast<std::uint16_t>(static_cast<unsigned>(tagged) << i);
      }
    }
  }
  return tags;
}

std::vector<PatchId> wanted_children(const Hierarchy& hierarchy, int index,
                                     const std::vector<TagRows>& tags, int buffer) {
  std::vector<PatchId> children;
  const Level& level = hierarchy.level(index);
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    const Patch& patch = level.patch(slot);
    const Window window = gather(patch, slot, tags);
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      const PatchId child = patch.id().child(quadrant);
      if (quadrant_is_tagged(window, quadrant, buffer) && nests(hierarchy, child)) {
        children.push_back(child);
      }
    }
  }
  return children;
}

}  // namespace kumiko::amr
