// Twins: a call reaches the object that the other rank has made for the same purpose, even if that
// is made later; and what becomes of calls whose object is gone.
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <kumiko/cluster/twin.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support.hpp"

namespace kumiko::cluster {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Counter {
  std::atomic<int> count{0};
  int own = 0;
};

struct Other {
  int value = 0;
};

const auto kAdd = [](Counter& counter, int more) { counter.count += more; };
const auto kOwn = [](const Counter& counter) { return counter.own; };

RanksOptions delayed(int ranks) {
  return {.ranks = ranks, .workers = 2, .net = {.longest_delay = 200us, .reorders = true}};
}

TEST(TwinTest, GivenCallsOfAllKindsThenTheyReachTheObjectOfThatRank) {
  Ranks(delayed(3)).run([](Cluster& cluster) {
    const Here here = cluster.here();
    Counter counter;
    counter.own = 10 * here.rank();
    Twin<Counter> twin(here, counter);
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(twin.on(rank, kOwn), 10 * rank);
      EXPECT_EQ(twin.async(rank, kOwn).get(), 10 * rank);
      twin.post(rank, kAdd, 1);
    }
    EXPECT_THAT(twin.on_all(kOwn), ElementsAre(0, 10, 20));
    here.quiesce();
    barrier(here).get();
    EXPECT_EQ(counter.count, 3);
    barrier(here).get();
    if (here.rank() == 1) twin.on_all(kAdd, 7);
    barrier(here).get();
    EXPECT_EQ(counter.count, 10);
  });
}

TEST(TwinTest, GivenAFunctionThatTakesAHereThenItKnowsItsRankAndItsCaller) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    Counter counter;
    Twin<Counter> twin(cluster.here(), counter);
    const auto ranks = [](Counter&, const Here& here) {
      return std::pair(here.rank(), here.caller());
    };
    const int other = 1 - cluster.rank();
    EXPECT_EQ(twin.on(other, ranks), std::pair(other, cluster.rank()));
    barrier(cluster.here()).get();  // before the twins go
  });
}

TEST(TwinTest, GivenSeveralTwinsOfATypeThenEachCallReachesTheOneOfItsNumber) {
  Ranks(delayed(2)).run([](Cluster& cluster) {
    const Here here = cluster.here();
    std::vector<Counter> counters(3);
    std::vector<std::unique_ptr<Twin<Counter>>> twins;
    Other other{.value = 100 + here.rank()};
    std::optional<Twin<Other>> of_other;
    // Only twins of one type need the same order.
    if (here.rank() == 0) of_other.emplace(here, other);
    for (std::size_t at = 0; at < counters.size(); ++at) {
      counters[at].own = static_cast<int>(at) + 10 * here.rank();
      twins.push_back(std::make_unique<Twin<Counter>>(here, counters[at]));
    }
    if (here.rank() == 1) of_other.emplace(here, other);
    const int there = 1 - here.rank();
    for (int at = 2; at >= 0; --at) {
      EXPECT_EQ(twins[static_cast<std::size_t>(at)]->on(there, kOwn), at + 10 * there);
    }
    EXPECT_EQ(of_other->on(there, [](const Other& one) { return one.value; }), 100 + there);
    barrier(here).get();  // before the twins go
  });
}

TEST(TwinTest, GivenATwinThatIsMadeLaterThenCallsWaitForIt) {
  Ranks(delayed(2)).run([](Cluster& cluster) {
    const Here here = cluster.here();
    Counter counter;
    if (here.rank() == 1) {
      runtime::this_thread::sleep_for(20ms);
      counter.own = 5;
      const Twin<Counter> twin(here, counter);
      barrier(here).get();
      here.quiesce();
      EXPECT_EQ(counter.count, 300);
      return barrier(here).get();
    }
    const Twin<Counter> twin(here, counter);
    for (int i = 0; i < 300; ++i) twin.post(1, kAdd, 1);  // more than the window
    EXPECT_EQ(twin.on(1, kOwn), 5);
    barrier(here).get();
    here.quiesce();
    barrier(here).get();
  });
}

TEST(TwinTest, GivenATwinThatIsGoneThenInvocationsThrowAndPostsHaveNoEffect) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    const Here here = cluster.here();
    Counter counter;
    std::optional<Twin<Counter>> twin(std::in_place, here, counter);
    if (here.rank() == 1) twin.reset();
    barrier(here).get();
    if (here.rank() == 1) return;
    try {
      twin->on(1, kOwn);
      ADD_FAILURE();
    } catch (const TwinGone& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 1: its kumiko::cluster::"));
      EXPECT_THAT(error.what(), HasSubstr("Counter is gone"));
    }
    EXPECT_THROW(twin->async(1, kOwn).get(), RemoteError);
    twin->post(1, kAdd, 1);
    here.quiesce();
  });
}

TEST(TwinTest, GivenACallThatUsesTheObjectThenItsTwinIsNotRemovedBefore) {
  Ranks({.ranks = 2, .workers = 2}).run([](Cluster& cluster) {
    const Here here = cluster.here();
    auto counter = std::make_unique<Counter>();
    std::optional<Twin<Counter>> twin(std::in_place, here, *counter);
    if (here.rank() == 0) {
      const auto slow = [](Counter& one) {
        one.count = 1;
        runtime::this_thread::sleep_for(20ms);
        one.count = 2;
      };
      auto done = twin->async(1, slow);
      EXPECT_NO_THROW(done.get());
    } else {
      while (counter->count == 0) runtime::this_thread::sleep_for(1ms);
      twin.reset();
      EXPECT_EQ(counter->count, 2);
      counter.reset();
    }
  });
}

TEST(TwinTest, GivenARankThatLeavesWithoutItsTwinThenCallsEndAndNobodyHangs) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    if (cluster.rank() == 1) return;
    Counter counter;
    const Twin<Counter> twin(cluster.here(), counter);
    twin.post(1, kAdd, 1);
    EXPECT_THROW(twin.on(1, kOwn), TwinGone);
  });
}

TEST(TwinTest, GivenAnExceptionThenItsTypeAndMessageReachTheCaller) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    Counter counter;
    Twin<Counter> twin(cluster.here(), counter);
    const auto fail = [](Counter&) { throw std::length_error("too long"); };
    if (cluster.rank() == 1) return barrier(cluster.here()).get();
    try {
      twin.on(1, fail);
      ADD_FAILURE();
    } catch (const RemoteError& error) {
      EXPECT_EQ(error.type(), "std::length_error");
      EXPECT_STREQ(error.what(), "rank 1: too long");
    }
    // On this rank it is thrown as it is, and at once.
    EXPECT_THROW(twin.on_all(fail), std::length_error);
    barrier(cluster.here()).get();
  });
}

TEST(TwinTest, GivenLimitsThenACallForATwinThatIsToComeEndsByThem) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    const Here here = cluster.here();
    if (cluster.rank() == 1) return barrier(here).get();
    Counter counter;
    const Twin<Counter> twin(here, counter);
    EXPECT_THROW(twin.within(runtime::io::within(10ms)).on(1, kOwn), std::system_error);
    barrier(here).get();
  });
}

TEST(TwinTest, GivenTooManyCallsThatWaitThenTheNextOneSaysWhy) {
  Ranks({.ranks = 2, .cluster = {.window = 2 * kMostTwinCallsWaiting}}).run([](Cluster& cluster) {
    const Here here = cluster.here();
    if (cluster.rank() == 1) return barrier(here).get();
    Counter counter;
    const Twin<Counter> twin(here, counter);
    std::vector<Future<int>> waiting;
    for (int i = 0; i <= kMostTwinCallsWaiting; ++i) waiting.push_back(twin.async(1, kOwn));
    int refused = 0;
    while (refused == 0) {
      std::this_thread::sleep_for(1ms);
      for (Future<int>& one : waiting) {
        if (!one.valid() || one.wait_for(0s) != std::future_status::ready) continue;
        try {
          one.get();
        } catch (const RemoteError& error) {
          EXPECT_THAT(error.what(), HasSubstr("4096 calls wait for twins that this rank has not"));
          ++refused;
        }
      }
    }
    EXPECT_EQ(refused, 1);
    barrier(here).get();
  });
}

}  // namespace
}  // namespace kumiko::cluster
