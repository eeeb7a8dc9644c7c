// Contract: however a level's patches are dealt into blocks, a block waits for every block that has
// a patch for which one of its own waits, and as often as its counters say. What each patch waits
// for is the graph whose blocks are patches, which trace_edges_test.cpp holds against the rules.
#include "schedule/block_graph.hpp"

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/placement.hpp>

#include "fixtures.hpp"
#include "random_meshes.hpp"

namespace kumiko::amr {
namespace {

constexpr int kBaseSteps = 4;
constexpr std::array kEveryKind = {PieceKind::kAdvance, PieceKind::kBlend, PieceKind::kFinish};

struct Dealing {
  bool blends;
  bool fluxes;
  bool subcycling;
  std::size_t patches_of_a_block;
};

/// A piece of a block: level, block, kind, step.
using BlockPiece = std::tuple<int, std::uint32_t, PieceKind, int>;

class DealtGraph {
 public:
  DealtGraph(const Hierarchy& hierarchy, const Dealing& way, std::size_t patches_of_a_block)
      : clock_(Stretch::whole_run(1.0, kBaseSteps), way.subcycling) {
    const StepRules rules(hierarchy.plan(), hierarchy.shape().flux_form, clock_, way.blends);
    graph_.build(hierarchy.mesh(), rules, [&](int level) {
      return (hierarchy.level(level).size() + patches_of_a_block - 1) / patches_of_a_block;
    });
  }

  /// Calls visit(piece, step, node) for each piece of the window.
  template <class Visit>
  void for_each_piece(Visit visit) {
    for (int level = 0; level < graph_.levels(); ++level) {
      for (BlockGraph::Node& node : graph_.level(level)) {
        for (int number = 0; number < steps(level); ++number) {
          for (const PieceKind kind : kEveryKind) {
            if ((kind == PieceKind::kBlend && !node.blends) ||
                (kind == PieceKind::kFinish && !node.finishes)) {
              continue;
            }
            visit(BlockPiece{level, node.index, kind, number}, clock_.step(0, level, number), node);
          }
        }
      }
    }
  }

  /// Calls visit(piece, successor) for each time that one of the window waits for another.
  template <class Visit>
  void for_each_edge(Visit visit) {
    for_each_piece([&](const BlockPiece& piece, const LevelStep& step, BlockGraph::Node& node) {
      const auto arrive = [&](BlockGraph::Node& who, int number, PieceKind kind, WaitCause) {
        if (number < steps(who.level)) visit(piece, BlockPiece{who.level, who.index, kind, number});
      };
      graph_.for_each_successor(std::get<PieceKind>(piece), step, node, arrive);
    });
  }

  /// Takes all pieces as DataflowSchedule would, of the ready ones any, while what earlier ones
  /// have made ready is told in any order: begin(piece) for each.
  template <class Begin>
  void run(std::mt19937& random, Begin begin) {
    std::map<BlockPiece, int> pending;  // by parity of the step
    std::vector<BlockPiece> ready;
    std::vector<std::deque<BlockPiece>> told;  // by those that have ended
    for_each_piece([&](const BlockPiece& piece, const LevelStep& step, BlockGraph::Node& node) {
      if (step.number > 1) return;
      const int inputs = first_inputs(piece, step, node);
      if ((pending[piece] = inputs) == 0) ready.push_back(piece);
    });
    while (!ready.empty() || !told.empty()) {
      const std::size_t which = random() % (ready.size() + told.size());
      if (which < ready.size()) {
        const BlockPiece piece = std::exchange(ready[which], ready.back());
        ready.pop_back();
        begin(piece);
        const auto& [level, block, kind, number] = piece;
        BlockGraph::Node& node = graph_.level(level)[block];
        const auto parity = static_cast<std::size_t>(number % 2);
        pending[{level, block, kind, number % 2}] =
            node.inputs[static_cast<std::size_t>(kind)][parity];
        std::deque<BlockPiece>& to = told.emplace_back();
        graph_.for_each_successor(kind, clock_.step(0, level, number), node,
                                  [&](BlockGraph::Node& who, int later, PieceKind what, WaitCause) {
                                    to.push_back({who.level, who.index, what, later});
                                  });
        continue;
      }
      std::deque<BlockPiece>& of_one = told[which - ready.size()];
      const auto [level, block, kind, number] = of_one.front();
      of_one.pop_front();
      if (of_one.empty())
        told.erase(told.begin() + static_cast<std::ptrdiff_t>(which - ready.size()));
      if (--pending[{level, block, kind, number % 2}] == 0 && number < steps(level)) {
        ready.push_back({level, block, kind, number});
      }
    }
  }

  /// How many inputs of a piece are to come when the window begins.
  static int first_inputs(const BlockPiece& piece, const LevelStep& step,
                          const BlockGraph::Node& node) {
    const auto kind = std::get<PieceKind>(piece);
    const int inputs =
        node.inputs[static_cast<std::size_t>(kind)][static_cast<std::size_t>(step.number % 2)];
    // What stands when the window begins does not come.
    if (kind != PieceKind::kAdvance) return inputs;
    if (step.number == 0) return node.sources;
    return step.ends_coarse() && step.coarse_number() == 0 ? inputs - node.parents : inputs;
  }

  /// A patch's piece as that of its block.
  BlockPiece lifted(const BlockPiece& piece) const {
    const auto& [level, slot, kind, number] = piece;
    return {level, block_of(level, slot), kind, number};
  }

  /// The block that a patch is in, found by the blocks' own ends.
  std::uint32_t block_of(int level, std::uint32_t slot) const {
    for (const BlockGraph::Node& node : graph_.level(level)) {
      if (node.first <= slot && slot < node.end) return node.index;
    }
    ADD_FAILURE() << "slot " << slot << " of level " << level << " is in no block";
    return 0;
  }

 private:
  int steps(int level) const { return kBaseSteps * clock_.substeps(level); }

  StepClock clock_;
  BlockGraph graph_;
};

class BlocksOf : public ::testing::TestWithParam<Dealing> {
 protected:
  static std::unique_ptr<Hierarchy> hierarchy(unsigned seed) {
    const Mesh<2> mesh = test::random_mesh<2>(seed);
    PatchShape shape = test::kShape;
    shape.flux_form = GetParam().fluxes;
    const auto kind = [&](std::size_t axis) {
      return mesh.base().periodic[axis] ? BoundaryKind::kPeriodic : BoundaryKind::kFixedValue;
    };
    const Boundaries boundaries(kind(0), kind(1), 0.0);
    auto result = std::make_unique<Hierarchy>(Geometry(48, 32, {1.5, 1.0}, boundaries), 4, shape);
    for (int level = 1; level < mesh.levels(); ++level) {
      result->change(level, {mesh.ids(level).begin(), mesh.ids(level).end()});
    }
    return result;
  }
};

TEST_P(BlocksOf, GivenAPatchThatWaitsForAnotherThenItsBlockWaitsForTheOthers) {
  for (unsigned seed = 1; seed <= test::kMeshes; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const auto mesh = hierarchy(seed);
    DealtGraph patches(*mesh, GetParam(), 1);
    DealtGraph blocks(*mesh, GetParam(), GetParam().patches_of_a_block);
    std::set<std::pair<BlockPiece, BlockPiece>> edges;
    blocks.for_each_edge(
        [&](const BlockPiece& from, const BlockPiece& to) { edges.emplace(from, to); });
    patches.for_each_edge([&](const BlockPiece& from, const BlockPiece& to) {
      const BlockPiece awaited = blocks.lifted(from);
      const BlockPiece waits = blocks.lifted(to);
      if (std::get<0>(awaited) == std::get<0>(waits) &&
          std::get<1>(awaited) == std::get<1>(waits)) {
        // Within a block the pieces go by step, then by kind.
        EXPECT_LT(std::pair(std::get<3>(awaited), std::get<2>(awaited)),
                  std::pair(std::get<3>(waits), std::get<2>(waits)));
      } else {
        // A block's state is final when it is for all its patches: some have later pieces.
        const auto& [level, block, own_kind, number] = awaited;
        bool found = false;
        for (const PieceKind kind : kEveryKind) {
          const BlockPiece latest{level, block, kind, number};
          found = found || (kind >= own_kind && edges.count({latest, waits}) == 1);
        }
        EXPECT_TRUE(found);
      }
    });
  }
}

TEST_P(BlocksOf, GivenAPieceThenAsManyInputsComeAsItsCounterSays) {
  for (unsigned seed = 1; seed <= test::kMeshes; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const auto mesh = hierarchy(seed);
    DealtGraph blocks(*mesh, GetParam(), GetParam().patches_of_a_block);
    std::map<BlockPiece, int> arrivals;
    blocks.for_each_edge([&](const BlockPiece&, const BlockPiece& to) { ++arrivals[to]; });
    blocks.for_each_piece(
        [&](const BlockPiece& piece, const LevelStep& step, BlockGraph::Node& node) {
          EXPECT_EQ(arrivals[piece], DealtGraph::first_inputs(piece, step, node));
        });
  }
}

TEST_P(BlocksOf, GivenAnyOrderOfReadyPiecesThenEachComesAfterWhatItsPatchesWaitFor) {
  for (unsigned seed = 1; seed <= test::kMeshes; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const auto mesh = hierarchy(seed);
    DealtGraph patches(*mesh, GetParam(), 1);
    DealtGraph blocks(*mesh, GetParam(), GetParam().patches_of_a_block);
    std::map<BlockPiece, std::set<BlockPiece>> awaited;
    patches.for_each_edge([&](const BlockPiece& from, const BlockPiece& to) {
      awaited[blocks.lifted(to)].insert(blocks.lifted(from));
    });
    std::set<BlockPiece> left;
    blocks.for_each_piece(
        [&](const BlockPiece& piece, const LevelStep&, BlockGraph::Node&) { left.insert(piece); });
    std::mt19937 random(seed);
    std::size_t too_early = 0;
    blocks.run(random, [&](const BlockPiece& piece) {
      for (const BlockPiece& other : awaited[piece]) too_early += left.count(other);
      EXPECT_EQ(left.erase(piece), 1U);
    });
    EXPECT_EQ(too_early, 0U);
    EXPECT_TRUE(left.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    EveryScheme, BlocksOf,
    ::testing::Values(Dealing{false, false, true, 1}, Dealing{false, false, true, 3},
                      Dealing{true, false, true, 3}, Dealing{true, true, true, 2},
                      Dealing{true, true, true, 1000}, Dealing{false, true, true, 5},
                      Dealing{false, true, false, 3}));

TEST(BlocksInTime, GivenAGapBetweenALevelsRowsThenEveryBlockHasPatches) {
  Hierarchy hierarchy(Geometry(64, 64, {1.0, 1.0}, {}), 2, test::kShape);
  hierarchy.change(1, {{1, 0, 0}, {1, 7, 7}});
  const auto in_time = blocks_in_time(2, 8, 16'000, 15'000, 1);
  ASSERT_TRUE(in_time.has_value());
  const StepRules rules(hierarchy.plan(), false,
                        StepClock(Stretch::whole_run(1.0, kBaseSteps), true), false);
  BlockGraph graph;
  graph.build(hierarchy.mesh(), rules, [&](int) { return in_time->blocks; });
  for (int level = 0; level < 2; ++level) {
    for (const BlockGraph::Node& node : graph.level(level)) EXPECT_LT(node.first, node.end);
  }
}

}  // namespace
}  // namespace kumiko::amr
