// Contract: what a rank of a shared mesh sends is what the others expect, for any mesh and any
// rules; where it is not, all ranks are told of the same two, and of the level.
#include "sharing/plan_check.hpp"

#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loopback_ranks.hpp"
#include "random_meshes.hpp"

namespace kumiko::amr {
namespace {

using ::testing::HasSubstr;

constexpr int kRanksOfMeshes = 3;

/// How a run steps, as far as it decides what is read.
struct ReadRules {
  bool flux_form = false;
  bool blends = false;
};

std::vector<SharedReads> reads_of(const Mesh<2>& mesh, const ReadRules& rules, std::int32_t rank) {
  ReadPlan plan(2);
  ByPatch<char> blends;
  for (int level = 0; level < mesh.levels(); ++level) {
    plan.update(mesh, level, level_difference<PatchId>({}, mesh.ids(level)));
    blends.emplace_back(mesh.size(level), rules.blends ? 1 : 0);
  }
  const StepClock clock(Stretch::whole_run(1.0, 8), true);
  return shared_reads(mesh, {plan, rules.flux_form, clock, rules.blends}, rank, blends);
}

/// Compares on all ranks what each finds. \return what each is told; empty where nothing is
std::vector<std::string> told(const std::function<void(Communicator& communicator)>& compare) {
  std::vector<std::string> words(kRanksOfMeshes);
  test::on_loopback_ranks({.ranks = kRanksOfMeshes}, [&](Backend&, Communicator& communicator) {
    try {
      compare(communicator);
    } catch (const std::logic_error& error) {
      words[static_cast<std::size_t>(communicator.rank())] = error.what();
    }
  });
  return words;
}

const std::vector<std::string> kNothing(kRanksOfMeshes);

TEST(PlanCheckTest, GivenAnyMeshThenBothEndsOfAllMessagesAgree) {
  std::size_t crossing = 0;
  for (unsigned seed = 1; seed <= test::kMeshes; ++seed) {
    const Mesh<2> mesh = test::random_mesh<2>(seed);
    for (const ReadRules& rules : {ReadRules{}, ReadRules{true, false}, ReadRules{false, true}}) {
      EXPECT_EQ(told([&](Communicator& communicator) {
                  compare_plans(communicator, mesh, reads_of(mesh, rules, communicator.rank()));
                }),
                kNothing)
          << "seed " << seed;
      for (const SharedReads& level : reads_of(mesh, rules, 0)) crossing += level.outgoing().size();
    }
  }
  EXPECT_GT(crossing, 100U);
}

TEST(PlanCheckTest, GivenARankThatStepsByOtherRulesThenTheErrorNamesBothAndTheLevel) {
  const Mesh<2> mesh = test::random_mesh<2>(2);
  ASSERT_GE(mesh.levels(), 3);
  const std::vector<std::string> words = told([&](Communicator& communicator) {
    const ReadRules rules{.flux_form = communicator.rank() == 1};
    compare_plans(communicator, mesh, reads_of(mesh, rules, communicator.rank()));
  });
  // Of flux form, siblings' children are read; rank 1 has no siblings below level 1.
  EXPECT_THAT(words[0], HasSubstr("ranks 0 and 1 disagree about level 2 of the mesh they share: "
                                  "rank 0 sends parts of "));
  EXPECT_EQ(words[1], words[0]);
  EXPECT_EQ(words[2], words[0]);
}

TEST(PlanCheckTest, GivenARankWithAnotherMeshThenTheErrorNamesItAndTheLevel) {
  const Mesh<2> mesh = test::random_mesh<2>(2);
  Mesh<2> other = mesh;
  std::vector<std::int32_t> ranks(other.ranks(2).begin(), other.ranks(2).end());
  ranks.front() = (ranks.front() + 1) % kRanksOfMeshes;
  other.assign(2, {other.ids(2).begin(), other.ids(2).end()}, ranks);
  const std::vector<std::string> words = told([&](Communicator& communicator) {
    const Mesh<2>& own = communicator.rank() == 2 ? other : mesh;
    compare_plans(communicator, own, reads_of(own, {}, communicator.rank()));
  });
  EXPECT_THAT(words[0], HasSubstr("ranks 0 and 2 disagree about level 2 of the mesh they share: "
                                  "the first lists "));
  EXPECT_EQ(words[1], words[0]);
  EXPECT_EQ(words[2], words[0]);
}

TEST(PlanCheckTest, GivenARankWithoutALevelThenTheErrorNamesItAndTheLevel) {
  const Mesh<2> mesh = test::random_mesh<2>(2);
  Mesh<2> lower(mesh.base());
  lower.assign(1, {mesh.ids(1).begin(), mesh.ids(1).end()},
               {mesh.ranks(1).begin(), mesh.ranks(1).end()});
  for (const std::int32_t without : {0, 2}) {
    const std::vector<std::string> words = told([&](Communicator& communicator) {
      const Mesh<2>& own = communicator.rank() == without ? lower : mesh;
      compare_plans(communicator, own, reads_of(own, {}, communicator.rank()));
    });
    EXPECT_THAT(words[0], HasSubstr(without == 0 ? "ranks 0 and 1 disagree about level 2"
                                                 : "ranks 0 and 2 disagree about level 2"));
    EXPECT_EQ(words[1], words[0]);
    EXPECT_EQ(words[2], words[0]);
  }
}

}  // namespace
}  // namespace kumiko::amr
