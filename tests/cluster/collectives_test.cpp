// Operations of all ranks, with any number of ranks and any order of the messages.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/cluster/collectives.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support.hpp"

namespace kumiko::cluster {
namespace {

class CollectivesTest : public testing::TestWithParam<int> {
 protected:
  static RanksOptions options() {
    return {.ranks = GetParam(),
            .net = {.longest_delay = std::chrono::microseconds(50), .reorders = true}};
  }
};

TEST_P(CollectivesTest, GivenAValueOfEachRankThenTheyComeTogetherByRank) {
  Ranks(options()).run([](Cluster& cluster) {
    const Here here = cluster.here();
    const int ranks = here.size();
    const std::string own(static_cast<std::size_t>(here.rank()), 'x');
    const std::vector<std::string> all = all_gather(here, own).get();
    ASSERT_EQ(all.size(), static_cast<std::size_t>(ranks));
    for (std::size_t rank = 0; rank < all.size(); ++rank) EXPECT_EQ(all[rank].size(), rank);
    const std::vector<int> squares = gather(here, here.rank() * here.rank(), ranks - 1).get();
    EXPECT_EQ(squares.size(), here.rank() == ranks - 1 ? all.size() : 0U);
    EXPECT_EQ(max(here, 10 - here.rank()).get(), 10);
    EXPECT_EQ(min(here, 10 - here.rank()).get(), 10 - (ranks - 1));
    EXPECT_EQ(broadcast(here, here.rank(), ranks / 2).get(), ranks / 2);
  });
}

TEST_P(CollectivesTest, GivenManyUnderWayThenEachHasItsOwnResult) {
  Ranks(options()).run([](Cluster& cluster) {
    std::vector<Future<int>> results;
    for (int i = 0; i < 50; ++i) {
      results.push_back(max(cluster.here(), (i + cluster.rank()) % cluster.size() + i));
    }
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(results[static_cast<std::size_t>(i)].get(), cluster.size() - 1 + i);
    }
  });
}

TEST_P(CollectivesTest, GivenABarrierThenNobodyIsPastItBeforeAllAreThere) {
  std::atomic<int> there{0};
  Ranks(options()).run([&](Cluster& cluster) {
    runtime::this_thread::sleep_for(std::chrono::milliseconds(cluster.rank()));
    ++there;
    barrier(cluster.here()).get();
    EXPECT_EQ(there, cluster.size());
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, CollectivesTest, testing::Values(1, 2, 5));

TEST(CollectivesErrorTest, GivenRanksThatAskForDifferentOperationsThenAllLearnOfIt) {
  Ranks({.ranks = 3}).run([](Cluster& cluster) {
    const Here here = cluster.here();
    if (here.rank() == 1) {
      EXPECT_THROW(min(here, 1).get(), std::logic_error);
    } else {
      EXPECT_THROW(max(here, 1).get(), std::logic_error);
    }
    EXPECT_THROW(gather(here, 1, here.rank()).get(), std::logic_error) << "roots differ";
    if (here.rank() == 2) {
      EXPECT_THROW(max(here, 1.0).get(), std::logic_error) << "types differ";
    } else {
      EXPECT_THROW(max(here, 1).get(), std::logic_error);
    }
    EXPECT_EQ(max(here, here.rank()).get(), 2);
    EXPECT_THROW(static_cast<void>(broadcast(here, 1, 3)), std::out_of_range);
  });
}

}  // namespace
}  // namespace kumiko::cluster
