// Contract: tags are the points above the threshold, grow across patches, and children nest.
#include "refinement/refinement.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using test::block;

/// The children that the tags of a level ask for and that nest.
std::vector<PatchId> wanted_children(const Hierarchy& hierarchy, int index,
                                     const std::vector<TagRows>& tags, int buffer) {
  std::vector<PatchId> ids;
  const Level& level = hierarchy.level(index);
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    const unsigned quadrants = tagged_quadrants(hierarchy.plan(), index, slot, tags, buffer);
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      const PatchId child = level.patch(slot).id().child(quadrant);
      if ((quadrants >> quadrant & 1U) != 0 && hierarchy.mesh().nests(child)) ids.push_back(child);
    }
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

TEST(Tags, GivenAnIndicatorThenExactlyThePointsAboveTheThresholdAreTagged) {
  IndicatorField indicator;
  for (std::size_t at = 0; at < kPatchPoints; ++at) {
    indicator.values[at] = static_cast<double>(at * 97 % 256);
  }
  indicator.values[17] = std::numeric_limits<double>::infinity();
  indicator.values[18] = -std::numeric_limits<double>::infinity();
  const TagRows tags = tags_above(indicator, 100.0);
  for (std::size_t at = 0; at < kPatchPoints; ++at) {
    const bool tagged = (tags[at / kPatchSize] >> (at % kPatchSize) & 1) != 0;
    ASSERT_EQ(tagged, indicator.values[at] > 100.0) << at;
  }
}

TEST(Tags, GivenATagNearAPatchsEdgeThenTheNeighboursQuadrantIsRefinedToo) {
  Hierarchy hierarchy(Geometry(64, 64, {1.0, 1.0}, {}), 2, test::kShape);
  std::vector<TagRows> tags(16, TagRows{});
  tags[static_cast<std::size_t>(hierarchy.mesh().find({0, 1, 1}))][3] = 1U << 14;
  const auto wanted = [&](int buffer) { return wanted_children(hierarchy, 0, tags, buffer); };
  EXPECT_EQ(wanted(0), (std::vector<PatchId>{{1, 3, 2}}));
  EXPECT_EQ(wanted(1), (std::vector<PatchId>{{1, 3, 2}}));
  EXPECT_EQ(wanted(2), (std::vector<PatchId>{{1, 3, 2}, {1, 4, 2}}));
  EXPECT_EQ(wanted(4), (std::vector<PatchId>{{1, 3, 1}, {1, 4, 1}, {1, 3, 2}, {1, 4, 2}}));
}

TEST(Tags, GivenALevelOneEdgeThenChildrenThatWouldNotNestAreDropped) {
  Hierarchy hierarchy(Geometry(64, 64, {1.0, 1.0}, {}), 3, test::kShape);
  hierarchy.change(1, block(1, 2, 3, 2, 3));
  TagRows all;
  all.fill(0xFFFF);
  const std::vector<TagRows> tags(4, all);
  const std::vector<PatchId> ids = wanted_children(hierarchy, 1, tags, 2);
  EXPECT_EQ(ids, block(2, 5, 6, 5, 6));
  hierarchy.change(2, ids);
  EXPECT_TRUE(hierarchy.mesh().unnested().empty());
}

}  // namespace
}  // namespace kumiko::amr
