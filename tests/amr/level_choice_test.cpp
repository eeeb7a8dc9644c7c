// Contract: the patches of a level follow from the mesh, the tagged quadrants, and what is held and
// forced, without a number of the field.
#include "refinement/level_choice.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using Ids = std::vector<PatchId>;
using Tagged = std::vector<PatchValue<TaggedQuadrants>>;

/// 4 × 4 patches of level 0, and level 1 on the four in the middle.
class LevelChoiceTest : public testing::Test {
 protected:
  LevelChoiceTest() {
    mesh_.assign(1, test::block(1, 2, 5, 2, 5));
    for (const int level : {0, 1}) {
      plan_.update(mesh_, level, level_difference<PatchId>({}, mesh_.ids(level)));
    }
  }

  Geometry geometry_{64, 64, {1.0, 1.0}, {}};
  Mesh<2> mesh_{geometry_.base_grid()};
  ReadPlan plan_{2};
  Regions no_regions_{geometry_, 4, {}};
};

TEST_F(LevelChoiceTest, GivenQuadrantsToRefineThenTheirChildrenAreWantedInCanonicalOrder) {
  const Tagged tagged = {{{0, 1, 0}, 0, {0b1111, 0}}, {{0, 3, 1}, 0, {0b0100, 0}}};
  const LevelChoice choice = choose_level(mesh_, plan_, 0, tagged, {}, no_regions_);
  EXPECT_EQ(choice.wanted, (Ids{{1, 2, 0}, {1, 3, 0}, {1, 2, 1}, {1, 3, 1}, {1, 6, 3}}));
  EXPECT_EQ(choice.ids, choice.wanted);
  EXPECT_EQ(choice.unnested, 0U);
}

TEST_F(LevelChoiceTest, GivenQuadrantsToKeepThenOnlyChildrenThatAreThereAreWanted) {
  const Tagged tagged = {{{0, 0, 1}, 0, {0, 0b1111}}, {{0, 1, 1}, 0, {0, 0b1001}}};
  EXPECT_EQ(choose_level(mesh_, plan_, 0, tagged, {}, no_regions_).wanted,
            (Ids{{1, 2, 2}, {1, 3, 3}}));
}

TEST_F(LevelChoiceTest, GivenChildrenThatWouldNotNestThenTheyAreCountedOnceWhoeverAsksForThem) {
  // The lower left child of the island's corner lacks three neighbours' parents, its upper right
  // one none.
  const Tagged tagged = {{{1, 2, 2}, 0, {0b1001, 0}}, {{1, 2, 2}, 0, {0b0001, 0}}};
  const LevelChoice choice = choose_level(mesh_, plan_, 1, tagged, {}, no_regions_);
  EXPECT_EQ(choice.wanted, (Ids{{2, 5, 5}}));
  EXPECT_EQ(choice.unnested, 1U);
}

TEST_F(LevelChoiceTest, GivenHeldAndForcedPatchesThenTheyComeThoughTheyAreNotWanted) {
  const Regions regions(geometry_, 4, {{0.0, 0.05, 0.0, 0.05, 1, 1}});
  const Tagged tagged = {{{0, 3, 3}, 0, {0b1000, 0}}};
  const LevelChoice choice = choose_level(mesh_, plan_, 0, tagged, {{1, 2, 2}, {1, 7, 7}}, regions);
  EXPECT_EQ(choice.wanted, (Ids{{1, 7, 7}}));
  EXPECT_EQ(choice.ids, (Ids{{1, 0, 0}, {1, 2, 2}, {1, 7, 7}}));
}

TEST_F(LevelChoiceTest, GivenARegionThatForbidsALevelThenItsPatchesAreNeitherWantedNorUnnested) {
  const Regions regions(geometry_, 4, {{0.5, 1.0, 0.0, 1.0, 1}});
  const Tagged tagged = {{{1, 2, 3}, 0, {0b1000, 0}}, {{1, 5, 3}, 0, {0b1111, 0}}};
  const LevelChoice choice = choose_level(mesh_, plan_, 1, tagged, {}, regions);
  EXPECT_EQ(choice.wanted, (Ids{{2, 5, 7}}));
  EXPECT_EQ(choice.unnested, 0U);
}

TEST_F(LevelChoiceTest, GivenNothingTaggedThenNothingIsWanted) {
  EXPECT_TRUE(choose_level(mesh_, plan_, 1, {}, {}, no_regions_).ids.empty());
}

}  // namespace
}  // namespace kumiko::amr
