// Contract: every patch has one rank, ranks have about equal costs, and the order in which a
// level's costs are known does not matter to who computes it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/partition.hpp>

#include "random_meshes.hpp"

namespace kumiko::amr {
namespace {

constexpr PartitionKind kKinds[] = {PartitionKind::kDepthFirst, PartitionKind::kLevel,
                                    PartitionKind::kCanonical, PartitionKind::kRandom};

/// Level 0 of a unit square, and a finer disk of two more levels.
Mesh<2> disk_mesh(int patches) {
  Mesh<2> mesh({.patches = {patches, patches}, .extent = {1.0, 1.0}, .periodic = {false, false}});
  for (int level = 1; level <= 2; ++level) {
    const int count = patches << level;
    std::vector<PatchId> ids;
    for (int j = 0; j < count; ++j) {
      for (int i = 0; i < count; ++i) {
        const double x = (i + 0.5) / count - 0.5;
        const double y = (j + 0.5) / count - 0.7;
        if (std::abs(std::hypot(x, y) - 0.2) < 0.3 / (1 << level)) ids.push_back({level, i, j});
      }
    }
    mesh.assign(level, ids);
  }
  return mesh;
}

ByPatch<double> random_costs(const Mesh<2>& mesh, unsigned seed) {
  std::mt19937 random(seed);
  ByPatch<double> costs = expected_costs(mesh, true);
  for (auto& level : costs) {
    for (double& cost : level) cost *= 0.5 + static_cast<double>(random() % 1000) / 1000.0;
  }
  return costs;
}

/// How many pairs of patches that touch, or are parent and child, have two ranks.
int cut_edges(const Mesh<2>& mesh, const ByPatch<std::int32_t>& rank_of) {
  int edges = 0;
  const auto rank = [&](const PatchId& id) {
    return rank_of[static_cast<std::size_t>(id.level)][static_cast<std::size_t>(mesh.find(id))];
  };
  for (int level = 0; level < mesh.levels(); ++level) {
    for (const PatchId& id : mesh.ids(level)) {
      const PatchId others[] = {
          {level, id.i + 1, id.j}, {level, id.i, id.j + 1}, {level - 1, id.i / 2, id.j / 2}};
      for (const PatchId& other : others) {
        if (other.level < 0 || !mesh.base().inside(other) || mesh.find(other) < 0) continue;
        if (rank(id) != rank(other)) ++edges;
      }
    }
  }
  return edges;
}

TEST(Partition, GivenRandomMeshesThenEveryPatchHasOneRankOfThose) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const Mesh<2> mesh = test::random_mesh<2>(seed);
    const ByPatch<double> costs = random_costs(mesh, seed);
    for (const PartitionKind kind : kKinds) {
      for (const int ranks : {1, 2, 3, 7, 1000}) {
        const auto rank_of = deal(kind, mesh, costs, ranks);
        ASSERT_EQ(rank_of.size(), static_cast<std::size_t>(mesh.levels()));
        for (int level = 0; level < mesh.levels(); ++level) {
          const auto& of_level = rank_of[static_cast<std::size_t>(level)];
          ASSERT_EQ(of_level.size(), mesh.size(level));
          for (const std::int32_t rank : of_level) {
            ASSERT_GE(rank, 0);
            ASSERT_LT(rank, ranks);
          }
        }
        EXPECT_EQ(rank_of, deal(kind, mesh, costs, ranks));
      }
    }
  }
}

TEST(Partition, GivenCostsThenNoCutIsFurtherOffThanHalfAPatch) {
  const Mesh<2> mesh = disk_mesh(16);
  const ByPatch<double> costs = random_costs(mesh, 3);
  double total = 0.0;
  double largest = 0.0;
  for (const auto& level : costs) {
    for (const double cost : level) {
      total += cost;
      largest = std::max(largest, cost);
    }
  }
  for (const int ranks : {2, 5, 16}) {
    const auto rank_of = deal(PartitionKind::kDepthFirst, mesh, costs, ranks);
    // Each of a rank's two cuts.
    EXPECT_LE(imbalance(costs, rank_of, ranks), 1.0 + largest * ranks / total);
    // The curve is cut into one part for each: the ranks along it do not fall.
    std::int32_t latest = 0;
    for (const PatchId& id : mesh.space_filling_order()) {
      const std::int32_t rank =
          rank_of[static_cast<std::size_t>(id.level)][static_cast<std::size_t>(mesh.find(id))];
      EXPECT_GE(rank, latest);
      latest = rank;
    }
  }
}

TEST(Partition, GivenADiskThenDepthFirstCutsFewestEdges) {
  const Mesh<2> mesh = disk_mesh(16);
  const ByPatch<double> costs = expected_costs(mesh, true);
  for (const int ranks : {4, 16}) {
    const auto edges = [&](PartitionKind kind) {
      return cut_edges(mesh, deal(kind, mesh, costs, ranks));
    };
    const int depth_first = edges(PartitionKind::kDepthFirst);
    EXPECT_LT(depth_first, edges(PartitionKind::kLevel));
    EXPECT_LT(depth_first, edges(PartitionKind::kCanonical));
    EXPECT_LT(2 * depth_first, edges(PartitionKind::kRandom));
  }
}

TEST(Partition, GivenLevelsThenEachIsDealtEquallyByItself) {
  const Mesh<2> mesh = disk_mesh(8);
  const auto rank_of = deal(PartitionKind::kLevel, mesh, expected_costs(mesh, true), 4);
  for (const auto& level : rank_of) {
    for (int rank = 0; rank < 4; ++rank) {
      const auto held = static_cast<double>(std::ranges::count(level, rank));
      EXPECT_NEAR(held, static_cast<double>(level.size()) / 4.0, 1.0);
    }
  }
}

TEST(Partition, GivenNoCostsThenPatchesAreDealtByNumber) {
  const Mesh<2> mesh = disk_mesh(4);
  ByPatch<double> costs = expected_costs(mesh, false);
  const auto by_number = deal(PartitionKind::kDepthFirst, mesh, costs, 3);
  for (auto& level : costs) std::ranges::fill(level, 0.0);
  EXPECT_EQ(deal(PartitionKind::kDepthFirst, mesh, costs, 3), by_number);
  EXPECT_EQ(imbalance(costs, by_number, 3), 1.0);
}

TEST(Partition, GivenWrongArgumentsThenTheyAreRefused) {
  const Mesh<2> mesh = disk_mesh(4);
  const ByPatch<double> costs = expected_costs(mesh, true);
  const auto dealt = [&](const ByPatch<double>& given, int ranks) {
    return deal(PartitionKind::kDepthFirst, mesh, given, ranks);
  };
  EXPECT_THROW(dealt(costs, 0), std::invalid_argument);
  EXPECT_THROW(dealt({}, 2), std::invalid_argument);
  for (const double wrong :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    ByPatch<double> changed = costs;
    changed[1][0] = wrong;
    EXPECT_THROW(dealt(changed, 2), std::invalid_argument);
  }
  ByPatch<double> longer = costs;
  longer[2].push_back(1.0);
  EXPECT_THROW(dealt(longer, 2), std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::amr
