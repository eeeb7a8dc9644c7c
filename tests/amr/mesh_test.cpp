// Contract: a mesh answers as a search through all its patches would, in the plane and in space:
// random nested meshes are compared with definitions by points.
#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_meshes.hpp"

namespace kumiko::amr {

template struct Box<3>;
template struct BaseGrid<3>;
template class Mesh<3>;

namespace {

using namespace test;

template <class Axes>
class MeshOf : public OnMeshes<Axes> {};
TYPED_TEST_SUITE(MeshOf, AllAxes, AxesName);

TYPED_TEST(MeshOf, GivenABaseGridThenLevelZeroCoversItInCanonicalOrder) {
  constexpr int kAll = TestFixture::kCount;
  const Mesh<kAll> mesh(small_base<kAll>());
  EXPECT_EQ(mesh.levels(), 1);
  EXPECT_EQ(mesh.size(0), kAll == 2 ? 6U : 12U);
  EXPECT_TRUE(std::is_sorted(mesh.ids(0).begin(), mesh.ids(0).end()));
  EXPECT_EQ(mesh.ids(0)[1].along(0), 1) << "x runs fastest";
  EXPECT_THAT(mesh.ranks(0), testing::Each(0));
  EXPECT_TRUE(mesh.ids(1).empty());
}

TYPED_TEST(MeshOf, GivenAnyPlaceThenItIsFoundWhereASearchFindsIt) {
  TestFixture::for_meshes([](const auto& mesh, unsigned) {
    for (int level = 0; level <= mesh.levels(); ++level) {
      const auto ids = mesh.ids(level);
      TestFixture::for_places(mesh.base(), level, [&](const auto& id) {
        const auto found = std::find(ids.begin(), ids.end(), id);
        ASSERT_EQ(mesh.find(id), found == ids.end() ? -1 : found - ids.begin()) << to_string(id);
      });
    }
  });
}

TYPED_TEST(MeshOf, GivenChildrenThenTheyAreThosePatchesThatHaveTheParent) {
  TestFixture::for_meshes([](const auto& mesh, unsigned) {
    for (int level = 0; level < mesh.levels(); ++level) {
      std::size_t children = 0;
      for (const auto& id : mesh.ids(level)) {
        int quadrant = 0;
        for (const std::int32_t slot : mesh.children(id)) {
          const auto child = child_of(id, quadrant);
          EXPECT_EQ(parent_of(child), id);
          EXPECT_EQ(quadrant_of(child), quadrant++);
          if (slot < 0) continue;
          EXPECT_EQ(mesh.ids(level + 1)[static_cast<std::size_t>(slot)], child);
          ++children;
        }
      }
      EXPECT_EQ(children, mesh.size(level + 1));
    }
  });
}

TYPED_TEST(MeshOf, GivenPeriodicSidesThenNeighboursLieAcrossThem) {
  constexpr int kAll = TestFixture::kCount;
  BaseGrid<kAll> base = small_base<kAll>();
  base.periodic[0] = true;
  typename TestFixture::Id corner{};
  corner.level = 1;
  std::array<int, kAll> left{};
  left[0] = -1;
  auto across = corner;
  across.along(0) = 5;
  EXPECT_EQ(base.neighbour(corner, left), across);
  std::array<int, kAll> below{};
  below[kAll - 1] = -1;
  EXPECT_EQ(base.neighbour(corner, below), std::nullopt);
}

TYPED_TEST(MeshOf, GivenAnyPlaceThenItNestsWhereItsPointsAndThoseAroundHaveCoarserOnes) {
  TestFixture::for_meshes([](const auto& mesh, unsigned seed) {
    EXPECT_TRUE(mesh.unnested().empty());
    for (int level = 1; level <= mesh.levels(); ++level) {
      const auto coarser = as_set(mesh, level - 1);
      TestFixture::for_places(mesh.base(), level, [&](const auto& id) {
        if (!mesh.base().inside(id)) return;
        const auto missing = mesh.missing_support(id);
        ASSERT_EQ(!missing, points_have_coarse_ones(mesh.base(), coarser, id)) << to_string(id);
        if (!missing) return;
        ASSERT_EQ(coarser.count(*missing), 0U) << to_string(*missing);
      });
    }
    const auto loose = random_mesh<TestFixture::kCount>(seed, false);
    std::vector<typename TestFixture::Id> wanted;
    for (int level = 1; level < loose.levels(); ++level) {
      const auto coarser = as_set(loose, level - 1);
      std::copy_if(
          loose.ids(level).begin(), loose.ids(level).end(), std::back_inserter(wanted),
          [&](const auto& id) { return !points_have_coarse_ones(loose.base(), coarser, id); });
    }
    std::vector<typename TestFixture::Id> found;
    for (const auto& unnested : loose.unnested()) found.push_back(unnested.patch);
    EXPECT_EQ(found, wanted);
  });
}

TYPED_TEST(MeshOf, GivenTheLeavesOfAllLevelsThenTheyCoverTheDomainOnceAndNoFinerPatchDoes) {
  constexpr int kAll = TestFixture::kCount;
  TestFixture::for_meshes([](const Mesh<kAll>& mesh, unsigned) {
    const int finest = mesh.levels() - 1;
    // Counted in cubes of 8 points of the finest level.
    const int side = (3 * 2) << finest;
    std::vector<int> level_of(
        static_cast<std::size_t>(kAll == 2 ? side * side : side * side * side), -1);
    const auto paint = [&](const Box<kAll>& box, auto visit) {
      const int scale = 1 << (finest - box.level);
      const int size = (box.end[0] - box.begin[0]) / kQuadrantSize * scale;
      for_each_tuple<kAll>(size, [&](const std::array<int, kAll>& offset) {
        std::size_t at = 0;
        for (std::size_t axis = kAll; axis-- > 0;) {
          at = at * static_cast<std::size_t>(side) +
               static_cast<std::size_t>(box.begin[axis] / kQuadrantSize * scale + offset[axis]);
        }
        visit(level_of[at]);
      });
    };
    for (int level = 0; level < mesh.levels(); ++level) {
      for (const auto& id : mesh.ids(level)) {
        paint(box_of(id), [level](int& cube) { cube = level; });
      }
    }
    std::size_t leaves = 0;
    for (int level = 0; level < mesh.levels(); ++level) {
      for (const LeafBox<kAll>& leaf : mesh.leaf_boxes(level)) {
        paint(box_of(mesh.ids(level)[leaf.slot], leaf), [&](int& cube) {
          ASSERT_EQ(cube, level) << "a finer patch, or another leaf, is there";
          cube = kLargestLevelCount;
          ++leaves;
        });
      }
    }
    EXPECT_EQ(leaves, mesh.size(0) << (kAll * (finest + 1)));
  });
}

TYPED_TEST(MeshOf, GivenLeavesThenTheyComeInCanonicalOrderAndWholePatchesUndivided) {
  constexpr int kAll = TestFixture::kCount;
  TestFixture::for_meshes([](const Mesh<kAll>& mesh, unsigned) {
    for (int level = 0; level < mesh.levels(); ++level) {
      const auto leaves = mesh.leaf_boxes(level);
      const auto key = [](const LeafBox<kAll>& leaf) {
        auto first = leaf.first;
        std::reverse(first.begin(), first.end());
        return std::pair(leaf.slot, first);
      };
      EXPECT_TRUE(std::is_sorted(leaves.begin(), leaves.end(),
                                 [&](const auto& a, const auto& b) { return key(a) < key(b); }));
      for (const LeafBox<kAll>& leaf : leaves) {
        const auto slots = mesh.children(mesh.ids(level)[leaf.slot]);
        const bool is_whole = std::all_of(slots.begin(), slots.end(), [](int s) { return s < 0; });
        EXPECT_EQ(leaf.size, is_whole ? kPatchSize : kQuadrantSize);
      }
    }
  });
}

TYPED_TEST(MeshOf, GivenABoxThenItsPartsAreThoseOfAllPatches) {
  constexpr int kAll = TestFixture::kCount;
  TestFixture::for_meshes([](const Mesh<kAll>& mesh, unsigned seed) {
    std::mt19937 random(seed);
    for (int round = 0; round < 100; ++round) {
      Box<kAll> box;
      box.level = static_cast<int>(random() % static_cast<unsigned>(mesh.levels()));
      for (std::size_t axis = 0; axis < kAll; ++axis) {
        const int points = mesh.base().patches[axis] * kPatchSize << box.level;
        box.begin[axis] = static_cast<int>(random() % static_cast<unsigned>(points + 40)) - 20;
        box.end[axis] = box.begin[axis] + static_cast<int>(random() % 60);
      }
      std::vector<std::pair<std::size_t, Box<kAll>>> wanted;
      for (std::size_t slot = 0; slot < mesh.size(box.level); ++slot) {
        const Box<kAll> part = box & box_of(mesh.ids(box.level)[slot]);
        if (!part.empty()) wanted.emplace_back(slot, part);
      }
      ASSERT_EQ(mesh.intersections(box), wanted);
    }
  });
}

/// The patches of a mesh within a cube whose side is that of 2^-level patches of level 0, in the
/// order of the cube's parts; a patch stands before its children.
template <int Axes>
void visit_depth_first(const Mesh<Axes>& mesh, const PatchIdOf<Axes>& cube,
                       std::vector<PatchIdOf<Axes>>& order) {
  if (cube.level >= mesh.levels()) return;
  const auto ids = mesh.ids(cube.level);
  if (std::find(ids.begin(), ids.end(), cube) != ids.end()) order.push_back(cube);
  for (int quadrant = 0; quadrant < 1 << Axes; ++quadrant) {
    visit_depth_first(mesh, child_of(cube, quadrant), order);
  }
}

TYPED_TEST(MeshOf, GivenTheSpaceFillingOrderThenItIsThatOfARecursionThroughTheDomain) {
  TestFixture::for_meshes([](const auto& mesh, unsigned) {
    typename TestFixture::Id domain{};
    domain.level = -2;  // the base grid has 3 patches along an axis
    std::vector<typename TestFixture::Id> wanted;
    visit_depth_first(mesh, domain, wanted);
    EXPECT_EQ(mesh.space_filling_order(), wanted);
  });
}

TEST(Mesh, GivenAFlatMeshInSpaceThenItIsThatOfThePlane) {
  const Mesh<2> plane = random_mesh<2>(5);
  const auto& base = plane.base();
  Mesh<3> space({{base.patches[0], base.patches[1], 1},
                 {base.extent[0], base.extent[1], 1.0},
                 {base.periodic[0], base.periodic[1], true}});
  for (int level = 1; level < plane.levels(); ++level) {
    std::vector<BasicPatchId<3>> ids;
    for (int k = 0; k < 1 << level; ++k) {
      for (const PatchId& id : plane.ids(level)) ids.push_back({level, {id.i, id.j, k}});
    }
    space.assign(level, ids);
  }
  EXPECT_TRUE(space.unnested().empty());
  for (int level = 0; level < plane.levels(); ++level) {
    std::set<std::array<int, 3>> flat;
    for (const LeafBox<2>& leaf : plane.leaf_boxes(level)) {
      const Box<2> box = box_of(plane.ids(level)[leaf.slot], leaf);
      flat.insert({box.begin[0], box.begin[1], leaf.size});
    }
    std::set<std::array<int, 3>> shadow;
    for (const LeafBox<3>& leaf : space.leaf_boxes(level)) {
      const Box<3> box = box_of(space.ids(level)[leaf.slot], leaf);
      shadow.insert({box.begin[0], box.begin[1], leaf.size});
    }
    EXPECT_EQ(shadow, flat) << "level " << level;
  }
}

}  // namespace
}  // namespace kumiko::amr
