#include "refinement/refinement.hpp"

#include <bit>

namespace kumiko::amr {

namespace {

/// Tags of a patch and its eight neighbours: bit 16 + i of row 16 + j is point (i, j).
using TagRowsAround = std::array<std::uint64_t, 3 * kPatchSize>;

/// \return whether there are any
bool add_tags(TagRowsAround& around, const TagRows& tags, Direction d) {
  if (tags == TagRows{}) return false;
  for (int row = 0; row < kPatchSize; ++row) {
    around[static_cast<std::size_t>(row + kPatchSize * (1 + d.dy))] |=
        static_cast<std::uint64_t>(tags[static_cast<std::size_t>(row)])
        << (kPatchSize * (1 + d.dx));
  }
  return true;
}

bool quadrant_is_tagged(const TagRowsAround& around, int quadrant, int buffer) {
  const int first_i = kPatchSize + quadrant_begin(quadrant, 0) - buffer;
  const int first_j = kPatchSize + quadrant_begin(quadrant, 1) - buffer;
  const int width = kQuadrantSize + 2 * buffer;
  const std::uint64_t columns = ((std::uint64_t{1} << width) - 1) << first_i;
  for (int row = first_j; row < first_j + width; ++row) {
    if ((around[static_cast<std::size_t>(row)] & columns) != 0) return true;
  }
  return false;
}

}  // namespace

TagRows tags_above(const IndicatorField& indicator, double threshold) {
  // The sign of a difference, spread to all bits and cut to the column's: in the width of the
  // compared values and without branches, so that compilers vectorise a row.
  static constexpr auto kColumn = [] {
    std::array<std::uint64_t, kPatchSize> bits{};
    for (std::size_t i = 0; i < kPatchSize; ++i) bits[i] = std::uint64_t{1} << i;
    return bits;
  }();
  TagRows tags;
  for (std::size_t j = 0; j < kPatchSize; ++j) {
    const double* const row = indicator.values.data() + j * kPatchSize;
    std::uint64_t tagged = 0;
    for (std::size_t i = 0; i < kPatchSize; ++i) {
      const auto sign = std::bit_cast<std::uint64_t>(threshold - row[i]) >> 63;
      tagged |= (std::uint64_t{0} - sign) & kColumn[i];
    }
    tags[j] = static_cast<std::uint16_t>(tagged);
  }
  return tags;
}

unsigned tagged_quadrants(const ReadPlan& plan, int level, std::size_t slot,
                          const std::vector<TagRows>& tags, int buffer) {
  TagRowsAround around{};
  bool any = add_tags(around, tags[slot], {0, 0});
  for (const PlannedRead& read : plan.of(level, slot).siblings) {
    const TagRows& beside = tags[static_cast<std::size_t>(read.slot)];
    any = add_tags(around, beside, kDirections[read.direction]) || any;
  }
  unsigned quadrants = 0;
  if (!any) return quadrants;
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    if (quadrant_is_tagged(around, quadrant, buffer)) quadrants |= 1U << quadrant;
  }
  return quadrants;
}

}  // namespace kumiko::amr
