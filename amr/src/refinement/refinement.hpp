// Which quadrants of a level are refined: thresholds, growth of tags, proper nesting.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <kumiko/amr/hierarchy.hpp>

#include "refinement/criterion.hpp"

namespace kumiko::amr {

static_assert(kAxes == 2, "tags are rows of bits");

/// One bit per point of a patch: bit i of row j.
using TagRows = std::array<std::uint16_t, kPatchSize>;

/// Tags the points where the indicator is above the threshold.
/// Cost: a comparison a point, vectorised.
TagRows tags_above(const IndicatorField& indicator, double threshold);

/// The quadrants of a patch that the tags of its level ask to refine, one bit each: those with a
/// tag within `buffer` points (tags of neighbouring patches count).
/// \param tags    by slot of the level
/// \param buffer  0 .. kPatchSize
unsigned tagged_quadrants(const ReadPlan& plan, int level, std::size_t slot,
                          const std::vector<TagRows>& tags, int buffer);

}  // namespace kumiko::amr
