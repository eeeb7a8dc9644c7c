// Contract: the entries of a plan are what a definition by points says that patches read; a plan
// kept up to date is that of the mesh.
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

ReadPlan plan_of(const Mesh<2>& mesh, int ghosts) {
  ReadPlan plan(ghosts);
  for (int level = 0; level < mesh.levels(); ++level) {
    plan.update(mesh, level, level_difference<PatchId>({}, mesh.ids(level)));
  }
  return plan;
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

/// A place in a patch's memory as a point.
PatchPoint point_at(const PatchId& patch, int offset, int ghosts) {
  const int stride = kPatchSize + 2 * ghosts;
  return {patch, offset % stride - ghosts, offset / stride - ghosts};
}

TEST(ReadPlan, GivenRandomMeshesThenEntriesServeEveryGhostWithinTheDomainFromItsPoint) {
  // A sanitizer makes this fifty times as long.
  constexpr unsigned kTried = test::kSanitized ? 3 : test::kMeshes;
  for (unsigned seed = 1; seed <= kTried; ++seed) {
    const Mesh<2> mesh = test::random_mesh<2>(seed);
    const int ghosts = std::array{2, 3, 8}[seed % 3];
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << ghosts << " ghosts");
    const ReadPlan plan = plan_of(mesh, ghosts);
    const int stride = kPatchSize + 2 * ghosts;
    for (int level = 0; level < mesh.levels(); ++level) {
      for (std::size_t slot = 0; slot < mesh.size(level); ++slot) {
        const PatchId& reader = mesh.ids(level)[slot];
        const PatchReads reads = plan.of(level, slot);
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
  }
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

TEST(ReadPlan, GivenChangesOfLevelsThenAPlanThatFollowedThemIsOneMadeAnew) {
  for (unsigned seed = 1; seed <= test::kMeshes; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Mesh<2> whole = test::random_mesh<2>(seed);
    Mesh<2> mesh = whole;
    ReadPlan plan = plan_of(mesh, 2);
    std::mt19937 random(seed);
    for (int round = 0; round < 6; ++round) {
      const int level = mesh.levels() - 1 - round % 2;
      if (level < 1) continue;
      // A patch in eight goes, and comes again two rounds later; the mesh need not nest.
      std::vector<PatchId> ids;
      for (const PatchId& id : whole.ids(level)) {
        if (random() % 8 != 0) ids.push_back(id);
      }
      if (ids.empty()) continue;
      const auto changes = level_difference<PatchId>(mesh.ids(level), ids);
      mesh.assign(level, ids);
      plan.update(mesh, level, changes);
      expect_same(mesh, plan, plan_of(mesh, 2));
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
