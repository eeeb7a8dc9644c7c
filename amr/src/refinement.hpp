// Which quadrants of a level are refined: Löhner's indicator, growth of tags, proper nesting.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/simulation.hpp>

namespace kumiko::amr {

/// One bit per point of a patch: bit i of row j.
using TagRows = std::array<std::uint16_t, kPatchSize>;

/// Löhner's indicator (Löhner 1987, Comput. Methods Appl. Mech. Eng. 61, eq. for one dimension)
/// along x and along y, the larger one:
/// E = |um - 2u + up| / (|um - u| + |u - up| + δ (|um| + 2|u| + |up|) + floor).
/// Tags the points where E > threshold in any component. One ghost layer must be filled.
/// @param floor  absolute
TagRows loehner_tags(ConstPatchView patch, const RefinementOptions& options, double floor);

/// The children that the tags of a level ask for: every quadrant with a tag within `buffer` points
/// of it (tags of neighbouring patches count), less those that would break proper nesting.
/// @param tags  by slot of the level
/// @param buffer  0 .. kPatchSize
std::vector<PatchId> wanted_children(const Hierarchy& hierarchy, int level,
                                     const std::vector<TagRows>& tags, int buffer);

}  // namespace kumiko::amr
