// Contract: a change keeps the data of what stays; leaves cover the domain exactly once; improper
// nesting is noticed.
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using test::block;
using test::island;

TEST(Hierarchy, GivenAChangeThenPatchesThatStayKeepTheirDataAndNewOnesAreListed) {
  Hierarchy hierarchy(Geometry(64, 64, {1.0, 1.0}, {}), 2, test::kShape);
  hierarchy.change(1, block(1, 2, 3, 2, 3));
  Level& level = hierarchy.level(1);
  const auto stays = static_cast<std::size_t>(hierarchy.mesh().find({1, 3, 3}));
  level.patch(stays).now()(7, 9) = 42.0;
  const std::vector<std::size_t> came = hierarchy.change(1, {{1, 4, 3}, {1, 3, 3}});
  ASSERT_EQ(level.size(), 2U);
  ASSERT_EQ(came.size(), 1U);
  EXPECT_EQ(level.patch(came[0]).id(), (PatchId{1, 4, 3}));
  EXPECT_EQ(level.patch(static_cast<std::size_t>(hierarchy.mesh().find({1, 3, 3}))).now()(7, 9),
            42.0);
  EXPECT_EQ(hierarchy.mesh().find({1, 2, 2}), -1);
}

TEST(Hierarchy, GivenPatchesComeAndGoThenMemoryIsRecycled) {
  Hierarchy hierarchy(Geometry(64, 64, {1.0, 1.0}, {}), 2, test::kShape);
  const auto move = [&](int round) {
    hierarchy.change(1, block(1, 0, 7, round % 2 * 4, round % 2 * 4 + 3));
  };
  for (int round = 0; round < 3; ++round) move(round);
  const std::size_t bytes = hierarchy.memory_use().patch_bytes;
  for (int round = 3; round < 100; ++round) move(round);
  EXPECT_EQ(hierarchy.memory_use().patch_bytes, bytes);
}

TEST(Hierarchy, GivenAParentGoesThenItsDescendantsGoToo) {
  const auto hierarchy = island({}, test::kShape);
  ASSERT_EQ(hierarchy->used_levels(), 3);
  hierarchy->change(1, test::block(1, 2, 4, 2, 4));
  EXPECT_EQ(hierarchy->level(2).size(), 9U) << "6..8 in both directions nest";
  hierarchy->change(1, {});
  EXPECT_TRUE(hierarchy->level(2).empty());
  EXPECT_EQ(hierarchy->used_levels(), 1);
}

TEST(Hierarchy, GivenAnIslandThenLeavesCoverTheDomainOnce) {
  const auto hierarchy = island({}, test::kShape);
  std::vector<int> covered(256 * 256, 0);
  for (int index = 0; index < 3; ++index) {
    const int scale = 4 >> index;
    for (const LeafBox<2>& leaf : hierarchy->mesh().leaf_boxes(index)) {
      const PatchId& id = hierarchy->level(index).patch(leaf.slot).id();
      const int i0 = (id.i * kPatchSize + leaf.first[0]) * scale;
      const int j0 = (id.j * kPatchSize + leaf.first[1]) * scale;
      for (int j = j0; j < j0 + leaf.size * scale; ++j) {
        for (int i = i0; i < i0 + leaf.size * scale; ++i) {
          ++covered[static_cast<std::size_t>(j * 256 + i)];
        }
      }
    }
  }
  for (const int count : covered) ASSERT_EQ(count, 1);
}

TEST(Hierarchy, GivenAFinePatchBesideAnUnrefinedPlaceThenNestingIsImproper) {
  const auto hierarchy = island({}, test::kShape);
  EXPECT_TRUE(hierarchy->mesh().unnested().empty());
  hierarchy->change(2, {{2, 4, 4}});
  EXPECT_FALSE(hierarchy->mesh().unnested().empty());
}

TEST(Hierarchy, GivenAPeriodicDomainThenNestingLooksAcrossTheSides) {
  const Boundaries periodic{BoundaryKind::kPeriodic, BoundaryKind::kPeriodic, 0.0};
  Hierarchy open(Geometry(64, 64, {1.0, 1.0}, {}), 3, test::kShape);
  open.change(1, block(1, 0, 1, 2, 4));
  open.change(2, {{2, 0, 6}});
  EXPECT_TRUE(open.mesh().unnested().empty());
  Hierarchy wrapped(Geometry(64, 64, {1.0, 1.0}, periodic), 3, test::kShape);
  wrapped.change(1, block(1, 0, 1, 2, 4));
  wrapped.change(2, {{2, 0, 6}});
  EXPECT_FALSE(wrapped.mesh().unnested().empty());
}

TEST(Hierarchy, GivenTooManyOrNoLevelsThenTheyAreRefused) {
  const Geometry geometry(64, 64, {1.0, 1.0}, {});
  EXPECT_THROW(Hierarchy(geometry, 0, test::kShape), std::invalid_argument);
  EXPECT_THROW(Hierarchy(geometry, 9, test::kShape), std::invalid_argument);
}

TEST(Hierarchy, GivenMorePointsOnTheFinestLevelThanAnIntHoldsThenTheyAreRefusedBeforeAnyMemory) {
  const Geometry geometry(1 << 24, 16, {1048576.0, 1.0}, {});
  EXPECT_THROW(Hierarchy(geometry, 8, test::kShape), std::invalid_argument);
}

TEST(Hierarchy, GivenANeighboursParentThatGoesThenFinerPatchesThatNoLongerNestGoToo) {
  const auto hierarchy = test::island({}, test::kShape);
  // Level 2 has 6..9 in both directions: those of column 6 lie beside level 1's column 2.
  hierarchy->change(1, test::block(1, 3, 5, 2, 5));
  EXPECT_TRUE(hierarchy->mesh().unnested().empty());
  EXPECT_LT(hierarchy->mesh().find({2, 6, 7}), 0);
  EXPECT_GE(hierarchy->mesh().find({2, 8, 7}), 0);
}

}  // namespace
}  // namespace kumiko::amr
