// Ranks that vanish, give up, or are not what they should be: who waits for them learns of it, and
// the others go on.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/token.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support.hpp"

namespace kumiko::cluster {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Holds functions back until the test lets them go on.
std::atomic<bool> held{true};
void hold() {
  while (held) runtime::this_thread::sleep_for(1ms);
}

class FailureTest : public testing::Test {
 protected:
  FailureTest() { held = true; }
};

TEST_F(FailureTest, GivenAThousandPendingCallsWhenTheirRankVanishesThenEachEndsInAnException) {
  constexpr int kCalls = 1000;
  Ranks ranks({.ranks = 3, .workers = 1, .net = {}, .cluster = {.window = kCalls, .patience = 5s}});
  std::atomic<bool> vanished{false};
  ranks.run([&](Cluster& cluster) {
    const Here here = cluster.here();
    if (here.rank() == 0) {
      std::vector<Future<void>> calls;
      calls.reserve(kCalls);
      for (int i = 0; i < kCalls; ++i) calls.push_back(here.async(1, [] { hold(); }));
      ranks.net().vanish(1);
      const auto begin = Clock::now();
      for (Future<void>& call : calls) {
        try {
          call.get();
          ADD_FAILURE() << "a call at a lost rank has ended";
        } catch (const RankLost& lost) {
          EXPECT_EQ(lost.rank(), 1);
        }
      }
      EXPECT_LT(Clock::now() - begin, 1s + 10ms);
      EXPECT_TRUE(here.is_lost(1));
      EXPECT_THROW(here.invoke(1, [] {}), RankLost);
      EXPECT_THROW(here.quiesce(), RankLost);
      EXPECT_EQ(here.invoke(2, [] { return 5; }), 5);
      held = false;
      vanished = true;
    } else if (here.rank() == 1) {
      while (!vanished) runtime::this_thread::sleep_for(1ms);
      cluster.abandon("");
    }
  });
}

TEST_F(FailureTest, GivenNoCreditsWhenTheRankVanishesThenThoseWhoWaitForOneLearnOfIt) {
  Ranks ranks({.ranks = 2, .workers = 1, .net = {}, .cluster = {.window = 1}});
  ranks.run([&](Cluster& cluster) {
    if (cluster.rank() == 1) {
      hold();
      cluster.abandon("");
      return;
    }
    ranks.net().vanish(1);
    Future<void> first = cluster.here().async(1, [] {});
    EXPECT_THROW(cluster.here().invoke(1, [] {}), RankLost);
    EXPECT_THROW(first.get(), RankLost);
    held = false;
  });
}

TEST_F(FailureTest, GivenARankThatEndsByAnExceptionThenTheOthersLearnOfIt) {
  Ranks ranks({.ranks = 2});
  const auto run = [&] {
    ranks.run([](Cluster& cluster) {
      if (cluster.rank() == 1) {
        while (held) runtime::this_thread::sleep_for(1ms);
        throw std::domain_error("cannot go on");
      }
      Future<void> call = cluster.here().async(1, [] {
        held = false;
        runtime::this_thread::sleep_for(300ms);
      });
      try {
        call.get();
        ADD_FAILURE() << "the call has ended";
      } catch (const RankLost& lost) {
        EXPECT_NE(std::string(lost.what()).find("ended by an exception"), std::string::npos);
      }
    });
  };
  EXPECT_THROW(run(), std::domain_error);
}

TEST_F(FailureTest, GivenARankThatDoesNotLeaveThenTheOthersDoNotWaitForEver) {
  Loopback net({.ranks = 2});
  const auto never_joins = net.link(1);
  runtime::Runtime runtime({.workers = 1});
  Cluster cluster(runtime, net.link(0), {.patience = 20ms});
  cluster.leave();
  EXPECT_TRUE(cluster.here().is_lost(1));
}

/// Frames overtake each other: that rank 1 leaves may come before why.
TEST_F(FailureTest, GivenARankThatLeavesSinceAnotherIsLostThenTheThirdBlamesTheLostOne) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Loopback net({.ranks = 3, .longest_delay = 2ms, .reorders = true, .seed = seed});
    const auto never_joins = net.link(2);
    const ClusterOptions options{.patience = 100ms, .warn_after = 5ms, .lost_after = 10ms};
    std::thread leaver([&] {
      runtime::Runtime runtime({.workers = 1});
      Cluster cluster(runtime, net.link(1), options);
      EXPECT_THROW(cluster.here().invoke(2, [] {}), RankLost);
      if (seed % 2 == 0) cluster.abandon("it cannot go on");
    });
    runtime::Runtime runtime({.workers = 1});
    Cluster cluster(runtime, net.link(0), {.patience = 100ms});
    try {
      all_gather(cluster.here(), 0).get();
      ADD_FAILURE() << "all are there";
    } catch (const RankLost& lost) {
      EXPECT_EQ(lost.rank(), 2) << lost.what();
      EXPECT_NE(std::string(lost.what()).find("nothing has come from it"), std::string::npos)
          << lost.what();
    }
    leaver.join();
  }
}

TEST_F(FailureTest, GivenBytesThatAreNotAFrameThenTheirRankIsLost) {
  for (const std::size_t size : {0U, 8U, 64U}) {
    Loopback net({.ranks = 2});
    const auto stranger = net.link(1);
    runtime::Runtime runtime({.workers = 1});
    Cluster cluster(runtime, net.link(0), {.patience = 20ms});
    Frame frame(size);
    std::fill(frame.begin(), frame.end(), std::byte{7});
    stranger->send(0, frame);
    try {
      cluster.here().invoke(1, [] {});
      ADD_FAILURE() << "a stranger has answered";
    } catch (const RankLost& lost) {
      EXPECT_NE(std::string(lost.what()).find("not a frame"), std::string::npos) << lost.what();
    }
  }
}

TEST_F(FailureTest, GivenAFrameOfAnotherProgramThenItsRankIsLost) {
  struct Header {
    std::uint32_t magic = 0x314b4d4b;
    std::uint32_t messages = 0;
    std::uint64_t program = 1;
  };
  Loopback net({.ranks = 2});
  const auto stranger = net.link(1);
  runtime::Runtime runtime({.workers = 1});
  Cluster cluster(runtime, net.link(0), {.patience = 20ms});
  Frame frame(sizeof(Header));
  const Header header;
  std::memcpy(frame.data(), &header, sizeof header);
  stranger->send(0, frame);
  try {
    cluster.here().invoke(1, [] {});
    ADD_FAILURE() << "another program has answered";
  } catch (const RankLost& lost) {
    EXPECT_NE(std::string(lost.what()).find("another build"), std::string::npos) << lost.what();
  }
}

TEST_F(FailureTest, GivenATokenOnARankThatVanishesThenTheEntryGetsAnException) {
  Ranks ranks({.ranks = 3});
  ranks.run([&](Cluster& cluster) {
    if (cluster.rank() == 0) {
      RemoteEntry<int> entry(cluster.here());
      // By way of rank 1 to rank 2, which keeps it.
      cluster.here().post(
          1,
          [](const Here& here, RemoteToken<int> token) {
            here.post(
                2,
                [](RemoteToken<int> kept) {
                  hold();
                  kept.send(1);
                },
                std::move(token));
          },
          entry.token());
      runtime::this_thread::sleep_for(30ms);
      ranks.net().vanish(2);
      EXPECT_THROW(entry.get(), RankLost);
      held = false;
      cluster.here().invoke(1, [] {});
    } else if (cluster.rank() == 2) {
      hold();
      cluster.abandon("");
    } else {
      hold();
    }
  });
}

TEST_F(FailureTest, GivenATokenThatIsSentToALostRankThenItsEntryGetsAnException) {
  Ranks ranks({.ranks = 3});
  ranks.run([&](Cluster& cluster) {
    const Here here = cluster.here();
    if (here.rank() == 2) {
      hold();
      cluster.abandon("");
    } else if (here.rank() == 1) {
      hold();
    } else {
      ranks.net().vanish(2);
      while (!here.is_lost(2)) runtime::this_thread::sleep_for(1ms);
      RemoteEntry<int> entry(here);
      // Rank 1 may not know yet that rank 2 is lost.
      here.post(
          1,
          [](const Here& there, RemoteToken<int> token) {
            try {
              there.post(
                  2, [](RemoteToken<int> kept) { kept.send(1); }, std::move(token));
            } catch (const RankLost&) {
              // It knows: the token is destroyed.
            }
          },
          entry.token());
      EXPECT_THROW(entry.get(), std::runtime_error);
      held = false;
    }
  });
}

TEST_F(FailureTest, GivenALostRankThenCollectiveOperationsEndInExceptions) {
  Ranks ranks({.ranks = 3});
  ranks.run([&](Cluster& cluster) {
    if (cluster.rank() == 2) {
      hold();
      cluster.abandon("");
      return;
    }
    Future<void> under_way = barrier(cluster.here());
    if (cluster.rank() == 0) ranks.net().vanish(2);
    EXPECT_THROW(under_way.get(), RankLost);
    EXPECT_THROW(all_gather(cluster.here(), 1).get(), RankLost);
    held = false;
  });
}

TEST_F(FailureTest, GivenARankThatHasLeftThenCollectiveOperationsEndInExceptions) {
  Ranks({.ranks = 3}).run([](Cluster& cluster) {
    EXPECT_EQ(max(cluster.here(), 1).get(), 1);
    if (cluster.rank() == 1) return;
    EXPECT_THROW(barrier(cluster.here()).get(), RankLost);
    EXPECT_THROW(barrier(cluster.here()).get(), RankLost);
    EXPECT_EQ(cluster.here().invoke(1, [] { return 3; }), 3) << "it serves until all have left";
  });
}

}  // namespace
}  // namespace kumiko::cluster
