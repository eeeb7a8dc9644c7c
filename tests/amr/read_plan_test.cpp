// Contract: the entries of a plan are what a definition by points says that patches read; what one
// owner asks of another is that part of it; a plan kept up to date is that of the mesh.
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "data/patch_table.hpp"
#include "fixtures.hpp"
#include "random_meshes.hpp"

namespace kumiko::amr {
namespace {

constexpr int kReach = 2;  // of coarse points on each side

/// A random mesh of two owners.
Mesh<2> shared_mesh(unsigned seed) {
  Mesh<2> mesh = test::random_mesh<2>(seed);
  std::mt19937 random(seed);
  for (int level = 0; level < mesh.levels(); ++level) {
    std::vector<std::int32_t> owners(mesh.size(level));
    for (std::int32_t& owner : owners) owner = static_cast<std::int32_t>(random() % 2);
    mesh.assign(level, {mesh.ids(level).begin(), mesh.ids(level).end()}, owners);
  }
  return mesh;
}

std::int32_t owner_of(const Mesh<2>& mesh, const PatchId& id) {
  return mesh.owners(id.level)[static_cast<std::size_t>(mesh.find(id))];
}

ReadPlan plan_of(const Mesh<2>& mesh, int ghosts, std::int32_t owner = ReadPlan::kEveryOwner) {
  ReadPlan plan(ghosts, owner);
  for (int level = 0; level < mesh.levels(); ++level) {
    plan.update(mesh, level, level_difference<PatchId>({}, mesh.ids(level)));
  }
  return plan;
}

/// Calls check(mesh, ghosts, seed).
template <class Check>
void for_shared_meshes(Check check) {
  for (unsigned seed = 1; seed <= test::kMeshes; ++seed) {
    for (const int ghosts : {2, 3, 8}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << ghosts << " ghosts");
      check(shared_mesh(seed), ghosts, seed);
    }
  }
}

/// A point of a patch, in its indices.
struct PatchPoint {
  PatchId patch;
  int i = 0;
  int j = 0;

  friend bool operator<(const PatchPoint& a, const PatchPoint& b) {
    return std::tie(a.patch, a.i, a.j) < std::tie(b.patch, b.i, b.j);
  }
  friend bool operator==(const PatchPoint&, const PatchPoint&) = default;
};

/// A patch that reads a point, and in which state.
using PointRead = std::tuple<PatchId, PatchPoint, ReadState>;

/// What the definition says of one ghost: the point of a sibling that it is, or the coarse points
/// around it.
struct Ghost {
  std::optional<PatchPoint> same;
  std::set<PatchPoint> coarse;
};

int floor_half(int index) { return index >= 0 ? index / 2 : -((1 - index) / 2); }

/// The definition: a ghost is the point of its level at its place if a patch holds it, else it is
/// interpolated from points of the patch of the level below that holds the place.
Ghost look(const Mesh<2>& mesh, const PatchId& reader, int i, int j) {
  std::array<int, 2> at = {reader.i * kPatchSize + i, reader.j * kPatchSize + j};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const int points = mesh.base().patches[axis] * kPatchSize << reader.level;
    if (mesh.base().periodic[axis]) at[axis] = (at[axis] + points) % points;
    if (at[axis] < 0 || at[axis] >= points) return {};
  }
  Ghost ghost;
  const PatchId sibling{reader.level, at[0] / kPatchSize, at[1] / kPatchSize};
  if (mesh.find(sibling) >= 0) {
    ghost.same = PatchPoint{sibling, at[0] % kPatchSize, at[1] % kPatchSize};
    return ghost;
  }
  const PatchId coarse{reader.level - 1, at[0] / 2 / kPatchSize, at[1] / 2 / kPatchSize};
  for (int dj = -kReach; dj <= kReach; ++dj) {
    for (int di = -kReach; di <= kReach; ++di) {
      ghost.coarse.insert({coarse, floor_half(at[0]) - coarse.i * kPatchSize + di,
                           floor_half(at[1]) - coarse.j * kPatchSize + dj});
    }
  }
  return ghost;
}

/// Calls visit(i, j) for the ghosts of a patch.
template <class Visit>
void for_ghosts(int ghosts, Visit visit) {
  for (int j = -ghosts; j < kPatchSize + ghosts; ++j) {
    for (int i = -ghosts; i < kPatchSize + ghosts; ++i) {
      if (i < 0 || j < 0 || i >= kPatchSize || j >= kPatchSize) visit(i, j);
    }
  }
}

/// All that the patches of an owner read of another one's, by the definition.
std::set<PointRead> wanted_points(const Mesh<2>& mesh, int ghosts, std::int32_t own,
                                  std::int32_t other) {
  std::set<PointRead> wanted;
  for (int level = 0; level < mesh.levels(); ++level) {
    for (const PatchId& reader : mesh.ids(level)) {
      if (owner_of(mesh, reader) != own) continue;
      const auto add = [&](const PatchPoint& point, ReadState state) {
        if (owner_of(mesh, point.patch) == other) wanted.insert({reader, point, state});
      };
      for_ghosts(ghosts, [&](int i, int j) {
        const Ghost ghost = look(mesh, reader, i, j);
        if (ghost.same) add(*ghost.same, ReadState::kSame);
        for (const PatchPoint& point : ghost.coarse) add(point, ReadState::kCoarse);
      });
      for (int at = 0; at < 4 * kPatchPoints; ++at) {
        const PatchId child = reader.child(at / kPatchPoints);
        if (mesh.find(child) < 0) continue;
        add({child, at % kPatchSize, at / kPatchSize % kPatchSize}, ReadState::kFine);
      }
    }
  }
  return wanted;
}

TEST(ReadPlan, GivenAMeshOfTwoOwnersThenOneAsksTheOtherForExactlyThePointsThatItsPatchesRead) {
  std::size_t all = 0;
  for_shared_meshes([&](const Mesh<2>& mesh, int ghosts, unsigned) {
    for (const std::int32_t own : {0, 1}) {
      std::set<PointRead> asked;
      std::size_t points = 0;
      for (const ReadRequest& request : plan_of(mesh, ghosts, own).requests(mesh, 1 - own)) {
        for (int j = request.region.j0; j < request.region.j1; ++j) {
          for (int i = request.region.i0; i < request.region.i1; ++i, ++points) {
            asked.insert({request.reader, PatchPoint{request.source, i, j}, request.state});
          }
        }
      }
      ASSERT_EQ(asked, wanted_points(mesh, ghosts, own, 1 - own));
      all += points;
    }
  });
  EXPECT_GT(all, 0U);
}

TEST(ReadPlan, GivenAMeshOfTwoOwnersThenEachShadowIsListedOnceAndReadBySomePatch) {
  for_shared_meshes([](const Mesh<2>& mesh, int ghosts, unsigned) {
    const ReadPlan plan = plan_of(mesh, ghosts, 1);
    std::map<int, std::set<std::int32_t>> expected;
    for (const auto& [reader, point, state] : wanted_points(mesh, ghosts, 1, 0)) {
      expected[point.patch.level].insert(mesh.find(point.patch));
    }
    for (int level = 0; level < mesh.levels(); ++level) {
      const std::set<std::int32_t>& slots = expected[level];
      EXPECT_EQ(plan.shadows(mesh, level), (std::vector<std::int32_t>{slots.begin(), slots.end()}));
    }
  });
}

/// A place in a patch's memory as a point.
PatchPoint point_at(const PatchId& patch, int offset, int ghosts) {
  const int stride = kPatchSize + 2 * ghosts;
  return {patch, offset % stride - ghosts, offset / stride - ghosts};
}

TEST(ReadPlan, GivenOwnPatchesThenTheirEntriesServeEveryGhostWithinTheDomainFromItsPoint) {
  for_shared_meshes([](const Mesh<2>& mesh, int ghosts, unsigned) {
    const ReadPlan plan = plan_of(mesh, ghosts, 0);
    const int stride = kPatchSize + 2 * ghosts;
    for (int level = 0; level < mesh.levels(); ++level) {
      for (std::size_t slot = 0; slot < mesh.size(level); ++slot) {
        const PatchId& reader = mesh.ids(level)[slot];
        const PatchReads reads = plan.of(level, slot);
        if (owner_of(mesh, reader) != 0) {
          ASSERT_TRUE(reads.siblings.empty() && reads.coarser.empty());
          continue;
        }
        std::map<PatchPoint, PatchPoint> copied;
        for (const PlannedRead& read : reads.siblings) {
          const PatchId& source = mesh.ids(level)[static_cast<std::size_t>(read.slot)];
          for (int at = 0; at < read.count * read.rows; ++at) {
            const int offset = at / read.count * stride + at % read.count;
            copied[point_at(reader, read.to + offset, ghosts)] =
                point_at(source, read.from + offset, ghosts);
          }
        }
        std::set<PatchPoint> interpolated_from;
        for (const PlannedRead& read : reads.coarser) {
          const PatchId& source = mesh.ids(level - 1)[static_cast<std::size_t>(read.slot)];
          for (int at = 0; at < read.count * read.rows; ++at) {
            interpolated_from.insert(
                point_at(source, read.from + at / read.count * stride + at % read.count, ghosts));
          }
        }
        std::map<PatchPoint, PatchPoint> same;
        std::set<PatchPoint> coarse;
        for_ghosts(ghosts, [&](int i, int j) {
          Ghost ghost = look(mesh, reader, i, j);
          if (ghost.same) same[{reader, i, j}] = *ghost.same;
          coarse.merge(ghost.coarse);
        });
        ASSERT_EQ(copied, same) << to_string(reader);
        ASSERT_EQ(interpolated_from, coarse) << to_string(reader);
      }
    }
  });
}

TEST(ReadPlan, GivenASideOfTheDomainThenThatDirectionLeadsOutsideUnlessItIsPeriodic) {
  Mesh<2> mesh({{2, 2}, {1.0, 1.0}, {true, false}});
  const ReadPlan plan = plan_of(mesh, 2);
  EXPECT_EQ(plan.of(0, 0).outside, 0b00000111U) << "below";
  EXPECT_EQ(plan.of(0, 3).outside, 0b11100000U) << "above";
  EXPECT_EQ(plan.of(0, 0).siblings.size(), 5U);
}

void expect_same(const Mesh<2>& mesh, const ReadPlan& plan, const ReadPlan& anew) {
  const auto key = [](const PlannedRead& read) {
    return std::tuple(read.slot, read.from, read.to, read.count, read.rows, read.direction,
                      read.quadrant);
  };
  const auto keys = [&](std::span<const PlannedRead> reads) {
    std::vector<decltype(key({}))> all;
    for (const PlannedRead& read : reads) all.push_back(key(read));
    return all;
  };
  for (int level = 0; level < mesh.levels(); ++level) {
    for (std::size_t slot = 0; slot < mesh.size(level); ++slot) {
      const PatchId& id = mesh.ids(level)[slot];
      EXPECT_EQ(keys(plan.of(level, slot).siblings), keys(anew.of(level, slot).siblings));
      EXPECT_EQ(keys(plan.of(level, slot).coarser), keys(anew.of(level, slot).coarser));
      EXPECT_EQ(plan.of(level, slot).outside, anew.of(level, slot).outside);
      EXPECT_EQ(plan.children(level, slot), mesh.children(id));
      EXPECT_EQ(plan.parent(level, slot), level == 0 ? -1 : mesh.find(id.parent()));
    }
  }
}

TEST(ReadPlan, GivenAHierarchyThatChangesThenItsPlanIsThatOfItsMesh) {
  Hierarchy hierarchy(Geometry(96, 64, {1.5, 1.0}, {}), 4, test::kShape);
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const int level = static_cast<int>(random() % 3);
    std::vector<PatchId> wanted;
    for (const PatchId& id : hierarchy.mesh().ids(level)) {
      for (int quadrant = 0; quadrant < 4; ++quadrant) {
        const PatchId child = id.child(quadrant);
        if (random() % 4 > 0 && (level == 0 || hierarchy.mesh().nests(child))) {
          wanted.push_back(child);
        }
      }
    }
    hierarchy.change(level + 1, wanted);
    expect_same(hierarchy.mesh(), hierarchy.plan(), plan_of(hierarchy.mesh(), 2));
  }
  EXPECT_EQ(hierarchy.used_levels(), 4);
}

TEST(ReadPlan, GivenChangesOfLevelsThenAPlanThatFollowedThemIsOneMadeAnewForOneOwnerAndForAll) {
  for (unsigned seed = 1; seed <= test::kMeshes; ++seed) {
    const Mesh<2> whole = shared_mesh(seed);
    for (const std::int32_t owner : {ReadPlan::kEveryOwner, 0}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", owner " << owner);
      Mesh<2> mesh = whole;
      ReadPlan plan = plan_of(mesh, 2, owner);
      std::mt19937 random(seed);
      for (int round = 0; round < 6; ++round) {
        const int level = mesh.levels() - 1 - round % 2;
        if (level < 1) continue;
        // A patch in eight goes, and comes again two rounds later; the mesh need not nest.
        std::vector<PatchId> ids;
        std::vector<std::int32_t> owners;
        for (std::size_t slot = 0; slot < whole.size(level); ++slot) {
          if (random() % 8 == 0) continue;
          ids.push_back(whole.ids(level)[slot]);
          owners.push_back(whole.owners(level)[slot]);
        }
        if (ids.empty()) continue;
        const auto changes = level_difference<PatchId>(mesh.ids(level), ids);
        mesh.assign(level, ids, owners);
        plan.update(mesh, level, changes);
        expect_same(mesh, plan, plan_of(mesh, 2, owner));
      }
    }
  }
}

TEST(PatchTable, GivenAMeshThatChangesThenValuesStayWithTheirPatchesAndNewOnesAreEmpty) {
  const auto hierarchy = test::island({}, test::kShape);
  PatchTable<std::vector<int>> table;
  table.follow(hierarchy->mesh());
  const auto of = [&](const PatchId& id) -> std::vector<int>& {
    return table.at(id.level, static_cast<std::size_t>(hierarchy->mesh().find(id)));
  };
  of({2, 8, 8}) = {42};
  of({2, 6, 6}) = {7};
  hierarchy->change(2, test::block(2, 7, 9, 7, 9));
  table.follow(hierarchy->mesh());
  EXPECT_EQ(of({2, 8, 8}), (std::vector<int>{42}));
  hierarchy->change(2, test::block(2, 6, 9, 6, 9));
  table.follow(hierarchy->mesh());
  EXPECT_EQ(of({2, 8, 8}), (std::vector<int>{42}));
  EXPECT_TRUE(of({2, 6, 6}).empty());
}

}  // namespace
}  // namespace kumiko::amr
