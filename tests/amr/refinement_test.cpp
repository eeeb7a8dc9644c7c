// Contract: Löhner's formula as printed; tags grow across patches; children nest.
#include "refinement.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using testing::block;

constexpr PatchShape kShape{1, 2, 0};

/// E at point (8, 8) of a patch where u is given by f, read off by bisection of the threshold.
template <class F>
double indicator_at_8_8(F f, double delta, double floor) {
  std::vector<double> values(PatchView::size(1, 2));
  const PatchView view(values.data(), 1, 2);
  for (int j = -2; j < kPatchSize + 2; ++j) {
    for (int i = -2; i < kPatchSize + 2; ++i) view(i, j) = f(i, j);
  }
  RefinementOptions options;
  options.delta = delta;
  double low = 0.0;
  double high = 2.0;
  for (int n = 0; n < 60; ++n) {
    options.threshold = 0.5 * (low + high);
    const bool tagged = (loehner_tags(view, options, floor)[8] >> 8 & 1) != 0;
    (tagged ? low : high) = options.threshold;
  }
  return low;
}

TEST(Loehner, GivenAStepThenTheIndicatorIsTheClosedForm) {
  // u = 0 | 1 between 8 and 9: |0 - 0 + 1| / (0 + 1 + δ (0 + 0 + 1) + floor).
  const auto step = [](int i, int) { return i > 8 ? 1.0 : 0.0; };
  EXPECT_NEAR(indicator_at_8_8(step, 0.05, 0.01), 1.0 / 1.06, 1e-12);
  EXPECT_NEAR(indicator_at_8_8(step, 0.05, 0.0), 1.0 / 1.05, 1e-12);
}

TEST(Loehner, GivenAParabolaAlongYThenTheLargerDirectionCounts) {
  // u = j²: 2 / (|2j - 1| + |2j + 1| + δ ((j-1)² + 2 j² + (j+1)²)) at j = 8.
  const auto parabola = [](int, int j) { return static_cast<double>(j * j); };
  EXPECT_NEAR(indicator_at_8_8(parabola, 0.2, 0.0), 2.0 / (32.0 + 0.2 * (49 + 128 + 81)), 1e-12);
}

TEST(Loehner, GivenAConstantOrLinearFieldThenNothingIsTagged) {
  EXPECT_LT(indicator_at_8_8([](int, int) { return 3.0; }, 0.05, 0.0), 1e-12);
  EXPECT_LT(indicator_at_8_8([](int i, int j) { return 2.0 * i - j; }, 0.05, 0.0), 1e-12);
  // 0 / 0 is no reason to refine.
  EXPECT_LT(indicator_at_8_8([](int, int) { return 0.0; }, 0.05, 0.0), 1e-12);
}

TEST(Tags, GivenATagNearAPatchsEdgeThenTheNeighboursQuadrantIsRefinedToo) {
  Hierarchy hierarchy(Geometry(64, 64, {1.0, 1.0}, {}), 2, kShape);
  std::vector<TagRows> tags(16, TagRows{});
  tags[static_cast<std::size_t>(hierarchy.level(0).find({0, 1, 1}))][3] = 1U << 14;
  const auto wanted = [&](int buffer) {
    std::vector<PatchId> ids = wanted_children(hierarchy, 0, tags, buffer);
    std::sort(ids.begin(), ids.end());
    return ids;
  };
  EXPECT_EQ(wanted(0), (std::vector<PatchId>{{1, 3, 2}}));
  EXPECT_EQ(wanted(1), (std::vector<PatchId>{{1, 3, 2}}));
  EXPECT_EQ(wanted(2), (std::vector<PatchId>{{1, 3, 2}, {1, 4, 2}}));
  EXPECT_EQ(wanted(4), (std::vector<PatchId>{{1, 3, 1}, {1, 4, 1}, {1, 3, 2}, {1, 4, 2}}));
}

TEST(Tags, GivenALevelOneEdgeThenChildrenThatWouldNotNestAreDropped) {
  Hierarchy hierarchy(Geometry(64, 64, {1.0, 1.0}, {}), 3, kShape);
  hierarchy.change(1, block(1, 2, 3, 2, 3));
  TagRows all;
  all.fill(0xFFFF);
  const std::vector<TagRows> tags(4, all);
  std::vector<PatchId> ids = wanted_children(hierarchy, 1, tags, 2);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, block(2, 5, 6, 5, 6));
  hierarchy.change(2, ids);
  EXPECT_TRUE(hierarchy.properly_nested());
}

}  // namespace
}  // namespace kumiko::amr
