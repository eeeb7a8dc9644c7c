// Contract: meshes are compared, and sent: bytes give the mesh back, or an error that says what is
// wrong; patches that cannot be are refused.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_meshes.hpp"

namespace kumiko::amr {
namespace {

using namespace test;

template <class Axes>
class MeshValueOf : public OnMeshes<Axes> {};
TYPED_TEST_SUITE(MeshValueOf, AllAxes, AxesName);

/// What an error says; nothing without one.
template <class Function>
std::string refusal(Function function) {
  try {
    function();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TYPED_TEST(MeshValueOf, GivenTwoMeshesThenEveryPatchIsCreatedRemovedOrKept) {
  constexpr int kAll = TestFixture::kCount;
  TestFixture::for_meshes([](const Mesh<kAll>& after, unsigned seed) {
    Mesh<kAll> before(after.base());
    const Mesh<kAll> other = random_mesh<kAll>(seed + 100);
    for (int level = 1; level < other.levels(); ++level) {
      before.assign(level, {other.ids(level).begin(), other.ids(level).end()});
    }
    const std::vector<LevelDifference> changes = difference(before, after);
    ASSERT_EQ(changes.size(), static_cast<std::size_t>(std::max(before.levels(), after.levels())));
    for (int level = 0; level < static_cast<int>(changes.size()); ++level) {
      const auto ids_before = before.ids(level);
      const auto ids_after = after.ids(level);
      LevelDifference wanted;
      for (std::size_t at = 0; at < ids_before.size(); ++at) {
        const auto found = std::find(ids_after.begin(), ids_after.end(), ids_before[at]);
        if (found == ids_after.end()) wanted.removed.push_back(at);
        if (found == ids_after.end()) continue;
        wanted.kept.emplace_back(at, static_cast<std::size_t>(found - ids_after.begin()));
      }
      for (std::size_t at = 0; at < ids_after.size(); ++at) {
        if (before.find(ids_after[at]) < 0) wanted.created.push_back(at);
      }
      EXPECT_EQ(changes[static_cast<std::size_t>(level)], wanted);
    }
  });
}

TEST(MeshValue, GivenDifferentBaseGridsThenTheyAreNotCompared) {
  BaseGrid<2> other = small_base<2>();
  other.periodic[1] = true;
  const Mesh<2> mesh(small_base<2>());
  EXPECT_THROW(difference(mesh, Mesh<2>(other)), std::invalid_argument);
}

TYPED_TEST(MeshValueOf, GivenMeshesThatDifferThenTheyAreUnequal) {
  constexpr int kAll = TestFixture::kCount;
  const Mesh<kAll> mesh = random_mesh<kAll>(1);
  const std::vector<typename TestFixture::Id> ids(mesh.ids(1).begin(), mesh.ids(1).end());
  Mesh<kAll> owned = mesh;
  owned.assign(1, ids, std::vector<std::int32_t>(ids.size(), 7));
  EXPECT_FALSE(owned == mesh);
  Mesh<kAll> smaller = mesh;
  smaller.assign(mesh.levels() - 1, {});
  EXPECT_EQ(smaller.levels(), mesh.levels() - 1);
  EXPECT_FALSE(smaller == mesh);
  BaseGrid<kAll> base = mesh.base();
  base.extent[0] *= 2.0;
  EXPECT_FALSE(Mesh<kAll>(base) == Mesh<kAll>(mesh.base()));
}

TYPED_TEST(MeshValueOf, GivenPatchesThatCannotBeThenTheyAreRefusedAndTheMeshStays) {
  constexpr int kAll = TestFixture::kCount;
  const Mesh<kAll> before(small_base<kAll>());
  Mesh<kAll> mesh = before;
  typename TestFixture::Id first{};
  first.level = 1;
  auto second = first;
  second.along(0) = 1;
  auto outside = first;
  outside.along(kAll - 1) = 4;
  auto deeper = first;
  deeper.level = 2;
  EXPECT_THROW(mesh.assign(1, {second, first}), std::invalid_argument);
  EXPECT_THROW(mesh.assign(1, {first, first}), std::invalid_argument);
  EXPECT_THAT(refusal([&] { mesh.assign(1, {outside}); }),
              testing::HasSubstr("level 1 cannot have level 1 patch ("));
  EXPECT_THROW(mesh.assign(1, {deeper}), std::invalid_argument);
  EXPECT_THAT(refusal([&] { mesh.assign(2, {deeper}); }),
              testing::HasSubstr("level 2 gets patches, but level 1 has none"));
  EXPECT_THROW(mesh.assign(1, {first}, {0, 1}), std::invalid_argument);
  EXPECT_THAT(refusal([&] { mesh.assign(0, {}); }), testing::HasSubstr("must cover the domain"));
  EXPECT_THROW(mesh.assign(kLargestLevelCount, {}), std::invalid_argument);
  EXPECT_EQ(mesh, before);
}

TEST(MeshValue, GivenABaseGridThatCannotBeThenItIsRefused) {
  EXPECT_THROW(Mesh<2>({{0, 1}, {1.0, 1.0}, {}}), std::invalid_argument);
  EXPECT_THROW(Mesh<2>({{1, 1}, {1.0, -1.0}, {}}), std::invalid_argument);
  EXPECT_THROW(Mesh<2>({{1 << 20, 1 << 20}, {1.0, 1.0}, {}}), std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::amr
