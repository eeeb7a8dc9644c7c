// Contract: when the threads of all ranks wait for each other, each rank tells once what its
// threads wait for, one rank after the other. Nothing is told while a message is under way, a
// thread computes or waits for time or I/O, or a rank leaves.
#include "watch/deadlock.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/token.hpp>
#include <kumiko/runtime/entry.hpp>
#include <kumiko/runtime/io/pipe.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support.hpp"
#include "watched_stderr.hpp"

namespace kumiko::cluster {
namespace {

using namespace std::chrono_literals;
using detail::DeadlockWatch;
using detail::MessageCounts;
using Clock = std::chrono::steady_clock;

/// Three ranks by a clock that the test makes up; what they say to each other arrives at once.
class DeadlockWatchTest : public testing::Test {
 protected:
  static constexpr int kRanks = 3;

  struct Rank {
    DeadlockWatch watch;
    std::optional<MessageCounts> passive = MessageCounts{};
    int reports = 0;
  };

  /// Lets a second pass, after which each rank looks; what it says is heard `hears` willing.
  void pass_second() {
    now += 1s;
    for (int rank = 0; rank < kRanks; ++rank) {
      Rank& self = ranks[static_cast<std::size_t>(rank)];
      const DeadlockWatch::Step step = self.watch.look(now, self.passive);
      if (step.asks) ++rounds;
      for (int other = 1; step.asks && other < kRanks; ++other) of(other).watch.ask(step.round);
      if (step.answers) of(0).watch.take_answer(rank, step.round, step.counts);
      if (!step.reports) continue;
      ++self.reports;
      if (rank + 1 < kRanks) of(rank + 1).watch.have_report();
    }
  }
  void pass(int seconds) {
    for (; seconds > 0; --seconds) pass_second();
  }
  Rank& of(int rank) { return ranks[static_cast<std::size_t>(rank)]; }
  int reports() const { return ranks[0].reports + ranks[1].reports + ranks[2].reports; }

  Clock::time_point now = Clock::now();
  std::array<Rank, kRanks> ranks{Rank{DeadlockWatch(0, kRanks, 5s)},
                                 Rank{DeadlockWatch(1, kRanks, 5s)},
                                 Rank{DeadlockWatch(2, kRanks, 5s)}};
  int rounds = 0;
};

TEST_F(DeadlockWatchTest, GivenAllPassiveThenEachReportsOnceAfterTheirPatience) {
  of(0).passive = MessageCounts{7, 2};
  of(1).passive = MessageCounts{1, 6};
  pass(5);
  EXPECT_EQ(rounds, 0);
  pass(100);
  EXPECT_EQ(rounds, 2);
  for (const Rank& rank : ranks) EXPECT_EQ(rank.reports, 1);
}

TEST_F(DeadlockWatchTest, GivenARankThatIsNotPassiveThenNobodyReports) {
  for (int busy = 0; busy < kRanks; ++busy) {
    for (Rank& rank : ranks) rank.passive = MessageCounts{};
    of(busy).passive = std::nullopt;
    pass(100);
    EXPECT_EQ(reports(), 0) << busy;
  }
  of(2).passive = MessageCounts{};
  pass(30);
  EXPECT_EQ(reports(), kRanks);
}

TEST_F(DeadlockWatchTest, GivenAMessageUnderWayThenNobodyReportsUntilItHasComeAndChangedNothing) {
  of(1).passive = MessageCounts{1, 0};
  pass(100);
  EXPECT_EQ(reports(), 0);
  of(2).passive = MessageCounts{0, 1};
  pass(30);
  EXPECT_EQ(reports(), kRanks);
}

TEST_F(DeadlockWatchTest, GivenSomethingThatMovesBetweenTheRoundsThenTheyBeginAnew) {
  DeadlockWatch& watch = of(0).watch;
  const auto look_until_asked = [&] {
    for (int second = 0; second < 20; ++second) {
      const DeadlockWatch::Step step = watch.look(now += 1s, MessageCounts{});
      EXPECT_FALSE(step.reports);
      if (step.asks) return step.round;
    }
    return std::uint64_t{0};
  };
  const auto answer = [&](std::uint64_t round, MessageCounts one, MessageCounts two) {
    watch.take_answer(1, round, one);
    watch.take_answer(2, round, two);
  };
  EXPECT_EQ(look_until_asked(), 1U);
  answer(1, {3, 3}, {2, 2});
  EXPECT_EQ(look_until_asked(), 2U);
  answer(2, {4, 3}, {2, 3});  // even, but not as before
  EXPECT_EQ(look_until_asked(), 3U);
  answer(3, {4, 3}, {2, 3});
  EXPECT_EQ(look_until_asked(), 4U);
  answer(4, {4, 3}, {2, 3});
  EXPECT_TRUE(watch.look(now += 1s, MessageCounts{}).reports);
}

TEST_F(DeadlockWatchTest, GivenAnAnswerToAnOldRoundThenItDoesNotCount) {
  pass(6);
  EXPECT_EQ(rounds, 1);
  of(0).passive = std::nullopt;
  pass(1);
  of(0).passive = MessageCounts{};
  of(1).passive = std::nullopt;
  of(2).passive = std::nullopt;
  pass(6);
  for (std::uint64_t old = 0; old < 2; ++old) {
    of(0).watch.take_answer(1, old, {});
    of(0).watch.take_answer(2, old, {});
  }
  pass(20);
  EXPECT_EQ(reports(), 0);
}

TEST_F(DeadlockWatchTest, GivenNoPatienceThenItIsNeverDue) {
  DeadlockWatch watch(1, 2, 0s);
  watch.ask(1);
  watch.have_report();
  EXPECT_FALSE(watch.is_due(Clock::now() + 1000h));
}

/// What a rank waits for that nobody sends, until the test does.
struct Never {
  runtime::Entry<bool> entry;
  runtime::Token<bool> token = entry.token();
};
std::atomic<Never*> never{nullptr};

class DeadlockTest : public testing::Test {
 protected:
  DeadlockTest() { never = &own; }

  /// Runs ranks until they have told of a deadlock so many times, and then on.
  std::string report_of(const RanksOptions& options, int reports,
                        const std::function<void(Cluster&)>& body) {
    const WatchedStderr watched;
    std::jthread waker([&] {
      watched.wait_for("link with -rdynamic to see names", reports);
      std::this_thread::sleep_for(100ms);  // for the lines after that
      own.token.send(true);
    });
    Ranks(options).run(body);
    waker.join();
    return watched.text();
  }

  Never own;
};

constexpr RanksOptions kTwo{.ranks = 2, .workers = 2, .deadlock_report_after = 100ms};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(DeadlockTest, GivenATokenThatIsKeptThenBothRanksTellWhatTheyWaitFor) {
  static RemoteToken<int> kept;
  const std::string report = report_of(kTwo, 2, [](Cluster& cluster) {
    const Here here = cluster.here();
    if (here.rank() == 0) {
      RemoteEntry<int> entry(here);
      here.invoke(
          1, [](RemoteToken<int> token) { kept = std::move(token); }, entry.token());
      EXPECT_EQ(entry.get(), 4);
    } else {
      never.load()->entry.wait();
      kept.send(4);
    }
  });
  EXPECT_TRUE(contains(report, "kumiko: rank 0: no thread of any rank can run")) << report;
  EXPECT_TRUE(contains(report, "rank 0 waits for an entry whose token is on rank 1 (0x")) << report;
  EXPECT_TRUE(contains(report, "kumiko: rank 1: no thread of any rank can run")) << report;
  EXPECT_TRUE(contains(report, "waits for an Entry (0x")) << report;
  EXPECT_LT(report.find("rank 0: no thread"), report.find("rank 1: no thread"));
}

struct WaitForEver {
  void operator()() const { never.load()->entry.wait(); }
};

TEST_F(DeadlockTest, GivenCallsThatDoNotEndThenRanksFunctionsAndCreditsAreNamed) {
  RanksOptions options = kTwo;
  options.cluster.window = 2;
  const std::string report = report_of(options, 2, [](Cluster& cluster) {
    const Here here = cluster.here();
    if (here.rank() == 1) return never.load()->entry.wait();
    std::vector<runtime::Thread> threads;
    threads.reserve(30);
    for (int i = 0; i < 30; ++i) threads.emplace_back([here] { here.invoke(1, WaitForEver()); });
    for (runtime::Thread& thread : threads) thread.join();
  });
  EXPECT_TRUE(contains(report, "rank 0 waits for the answer of rank 1 to ")) << report;
  EXPECT_TRUE(contains(report, "WaitForEver (0x")) << report;
}

TEST_F(DeadlockTest, GivenACollectiveOperationThatARankDoesNotJoinThenItIsNamed) {
  RanksOptions options = kTwo;
  options.ranks = 3;
  const std::string report = report_of(options, 3, [](Cluster& cluster) {
    if (cluster.rank() == 2) never.load()->entry.wait();
    barrier(cluster.here()).get();
  });
  EXPECT_TRUE(contains(report, "rank 0 waits for a collective operation by rank 2")) << report;
  EXPECT_TRUE(contains(report, "rank 1 waits for a collective operation by rank 0")) << report;
}

/// Runs ranks with hardly any patience; nothing may be told.
void expect_silence(RanksOptions options, const std::function<void(Cluster&)>& body) {
  options.deadlock_report_after = 2ms;
  const WatchedStderr watched;
  Ranks(options).run(body);
  EXPECT_FALSE(contains(watched.text(), "no thread of any rank")) << watched.text();
}

TEST_F(DeadlockTest, GivenMessagesThatTravelLongThenThatIsNoDeadlock) {
  expect_silence({.ranks = 3, .workers = 2, .net = {.longest_delay = 40ms, .reorders = true}},
                 [](Cluster& cluster) {
                   const Here here = cluster.here();
                   for (int i = 0; i < 6; ++i) {
                     here.invoke((here.rank() + 1) % 3, [](const Here& there) {
                       there.invoke((there.rank() + 1) % 3, [] {});
                     });
                   }
                 });
}

TEST_F(DeadlockTest, GivenAThreadThatComputesOrSleepsThenThatIsNoDeadlock) {
  expect_silence({.ranks = 2}, [](Cluster& cluster) {
    if (cluster.rank() == 1) return;
    cluster.here().invoke(1, [] {
      const auto end = Clock::now() + 100ms;
      while (Clock::now() < end) continue;
    });
    cluster.here().invoke(1, [] { runtime::this_thread::sleep_for(100ms); });
    const auto limited = cluster.here().within(runtime::io::within(100ms));
    EXPECT_THROW(limited.invoke(1, [] { never.load()->entry.wait(); }), std::system_error);
    never.load()->token.send(true);
  });
}

TEST_F(DeadlockTest, GivenAThreadInInputThenThatIsNoDeadlock) {
  static runtime::io::Pipe pipe = runtime::io::Pipe::create().value();
  std::jthread writer([] {
    std::this_thread::sleep_for(200ms);
    const std::byte byte{7};
    EXPECT_EQ(write(pipe.writer.get(), &byte, 1), 1);
  });
  expect_silence({.ranks = 2}, [](Cluster& cluster) {
    if (cluster.rank() == 1) return;
    std::byte byte{};
    EXPECT_TRUE(pipe.read({&byte, 1}).has_value());
  });
}

TEST_F(DeadlockTest, GivenTheOptionThenNothingIsTold) {
  Ranks ranks({.cluster = {.report_deadlocks = false}, .deadlock_report_after = 2ms});
  std::jthread waker([&] {
    std::this_thread::sleep_for(100ms);
    own.token.send(true);
  });
  const WatchedStderr watched;
  ranks.run([](Cluster&) { never.load()->entry.wait(); });
  EXPECT_EQ(watched.text(), "");
}

}  // namespace
}  // namespace kumiko::cluster
