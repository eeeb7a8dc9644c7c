// Functions invoked on other ranks: values and exceptions come back, whatever the messages' way.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/runtime/counting_semaphore.hpp>
#include <kumiko/runtime/entry.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::cluster {
namespace {

using namespace std::chrono_literals;

/// A network that delays and reorders by the test's number.
class InvocationTest : public testing::TestWithParam<int> {
 protected:
  static RanksOptions options(int ranks, int workers = 1, int window = 64) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    RanksOptions options{.ranks = ranks, .workers = workers};
    options.cluster.window = window;
    if (seed != 0) {
      options.net = {.longest_delay = std::chrono::microseconds(seed % 4 * 60),
                     .reorders = seed % 2 == 1,
                     .seed = seed};
    }
    return options;
  }
};

TEST_P(InvocationTest, GivenAFunctionWhenInvokedElsewhereThenItRunsThereAndItsValueComesBack) {
  Ranks(options(2)).run([](Cluster& cluster) {
    const Here here = cluster.here();
    const int other = 1 - cluster.rank();
    const auto [where, caller, sum] = here.invoke(
        other,
        [](const Here& there, int a, double b) {
          return std::tuple(there.rank(), there.caller(), a + b);
        },
        40, 2.5);
    EXPECT_EQ(where, other);
    EXPECT_EQ(caller, cluster.rank());
    EXPECT_EQ(sum, 42.5);
  });
}

TEST_P(InvocationTest, GivenTheOwnRankWhenInvokedThenItIsAThreadOfThisProcess) {
  Ranks(options(2)).run([](Cluster& cluster) {
    const Here here = cluster.here();
    EXPECT_EQ(here.invoke(
                  here.rank(), [](const Here& own, int x) { return own.rank() + x; }, 5),
              here.rank() + 5);
    std::string text = "kept";
    Future<std::size_t> length = here.async(
        here.rank(), [](std::string_view view) { return view.size(); }, std::string_view(text));
    text = "changed";
    EXPECT_EQ(length.get(), 4U);
    EXPECT_THROW(here.invoke(here.rank(), [] { throw std::domain_error("here"); }),
                 std::domain_error);
  });
}

TEST_P(InvocationTest, GivenSpansStringsAndVectorsWhenSentThenTheirElementsArrive) {
  Ranks(options(2)).run([](Cluster& cluster) {
    std::vector<double> values(5000);
    std::iota(values.begin(), values.end(), 0.0);
    const auto sum = [](std::span<const double> numbers, const std::string& name,
                        const std::vector<std::string>& more) {
      double total = std::accumulate(numbers.begin(), numbers.end(), 0.0);
      for (const std::string& text : more) total += static_cast<double>(text.size());
      return std::pair(name + "!", total);
    };
    const auto [name, total] =
        cluster.here().invoke(1 - cluster.rank(), sum, std::span<const double>(values),
                              std::string("sum"), std::vector<std::string>{"a", "", "bc"});
    EXPECT_EQ(name, "sum!");
    EXPECT_EQ(total, 4999.0 * 5000 / 2 + 3);
  });
}

TEST_P(InvocationTest, GivenAnExceptionWhenItEscapesThereThenTheCallerLearnsWhereAndWhat) {
  Ranks(options(2)).run([](Cluster& cluster) {
    const int other = 1 - cluster.rank();
    try {
      cluster.here().invoke(
          other, [](int) { throw std::domain_error("no such patch"); }, 1);
      ADD_FAILURE() << "no exception came back";
    } catch (const RemoteError& error) {
      EXPECT_EQ(error.rank(), other);
      EXPECT_EQ(error.type(), "std::domain_error");
      EXPECT_EQ(std::string(error.what()), "rank " + std::to_string(other) + ": no such patch");
    }
    Future<int> future =
        cluster.here().async(other, []() -> int { throw 42; });  // NOLINT: what else
    EXPECT_THROW(future.get(), RemoteError);
  });
}

TEST_P(InvocationTest, GivenManyAsynchronousCallsThenEachFutureHasItsOwnValue) {
  Ranks(options(3, 2, 5)).run([](Cluster& cluster) {
    std::vector<Future<int>> futures;
    for (int i = 0; i < 300; ++i) {
      futures.push_back(cluster.here().async(
          i % 3, [](int x) { return x * x; }, i));
    }
    for (int i = 0; i < 300; ++i) EXPECT_EQ(futures[static_cast<std::size_t>(i)].get(), i * i);
  });
}

/// Invokes back and forth, `depth` deep.
struct Bounce {
  int operator()(const Here& here, int depth) const {
    return depth == 0 ? 0 : 1 + here.invoke(here.caller(), Bounce{}, depth - 1);
  }
};

TEST_P(InvocationTest, GivenAWindowOfOneWhenRanksInvokeBackDeeplyThenAllEnd) {
  Ranks(options(3, 1, 1)).run([](Cluster& cluster) {
    std::vector<Future<int>> futures;
    for (int i = 0; i < 6; ++i) {
      futures.push_back(cluster.here().async((cluster.rank() + 1 + i % 2) % 3, Bounce{}, 40));
    }
    for (Future<int>& future : futures) EXPECT_EQ(future.get(), 40);
  });
}

/// Waits at its rank until it has been called so often.
std::atomic<int> arrivals{0};  // NOLINT: ranks share the process
runtime::CountingSemaphore* gate = nullptr;

TEST_P(InvocationTest, GivenFunctionsThatWaitForLaterCallsThenThoseGetTheirCreditsEarly) {
  runtime::CountingSemaphore all_there(0);
  gate = &all_there;
  arrivals = 0;
  Ranks(options(2, 1, 2)).run([](Cluster& cluster) {
    if (cluster.rank() != 0) return;
    constexpr int kCalls = 9;
    const auto meet = [] {
      if (++arrivals == kCalls) gate->release(kCalls);
      gate->acquire();
    };
    std::vector<Future<void>> futures;
    futures.reserve(kCalls);
    for (int i = 0; i < kCalls; ++i) futures.push_back(cluster.here().async(1, meet));
    for (Future<void>& future : futures) future.get();
  });
}

TEST_P(InvocationTest, GivenPostsThatPostOnWhenQuiescedThenAllHaveRun) {
  static std::atomic<int> runs;
  runs = 0;
  struct Spread {
    void operator()(const Here& here, int left) const {
      ++runs;
      if (left == 0) return;
      for (int i = 1; i <= 2; ++i) here.post((here.rank() + i) % here.size(), Spread{}, left - 1);
    }
  };
  Ranks(options(3, 1, 4)).run([](Cluster& cluster) {
    cluster.here().post((cluster.rank() + 1) % 3, Spread{}, 6);
    cluster.here().quiesce();
    // At least what this rank has posted, and what that has.
    EXPECT_GE(runs, 127);
  });
  EXPECT_EQ(runs, 3 * 127);
}

/// What inline posts have brought: sums and products say whether each came once, and as it was.
std::atomic<std::uint64_t> items{0};
std::atomic<std::uint64_t> weighted{0};
std::atomic<std::uint64_t> characters{0};
std::atomic<int> signals{0};

TEST_P(InvocationTest,
       GivenInlinePostsOfSeveralKindsWhenQuiescedThenEachHasRunOnceWithItsArguments) {
  constexpr std::uint64_t kRounds = 300;
  items = weighted = characters = 0;
  signals = 0;
  const auto item = [](std::uint64_t value) noexcept { items += value; };
  const auto pair = [](std::uint8_t small, double large) noexcept {
    weighted += small * static_cast<std::uint64_t>(large);
  };
  const auto text = [](std::string_view said) noexcept { characters += said.size(); };
  const auto signal = []() noexcept { ++signals; };
  Ranks(options(2, 2, 2)).run([&](Cluster& cluster) {
    if (cluster.rank() != 0) return;
    const Here here = cluster.here();
    std::vector<runtime::Thread> threads;
    for (int thread = 0; thread < 2; ++thread) {
      threads.emplace_back([&, here] {
        for (std::uint64_t i = 0; i < kRounds; ++i) {
          // Many of one kind, some of each in turn, and to the own rank now and then.
          for (std::uint64_t k = 0; k < i % 20; ++k) here.post_inline(1, item, i + k);
          here.post_inline(1, pair, static_cast<std::uint8_t>(i), static_cast<double>(i));
          here.post_inline(1, pair, static_cast<std::uint8_t>(1), 2.0);
          here.post_inline(1, text, std::string_view("abcdef").substr(i % 6));
          here.post_inline(1, signal);
          here.post_inline(static_cast<int>(i % 2), signal);
        }
      });
    }
    for (runtime::Thread& thread : threads) thread.join();
    here.quiesce();
    std::uint64_t sum = 0;
    std::uint64_t product = 0;
    std::uint64_t length = 0;
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      for (std::uint64_t k = 0; k < i % 20; ++k) sum += i + k;
      product += (i % 256) * i + 2;
      length += 6 - i % 6;
    }
    EXPECT_EQ(items, 2 * sum);
    EXPECT_EQ(weighted, 2 * product);
    EXPECT_EQ(characters, 2 * length);
    EXPECT_EQ(signals, 4 * kRounds);
  });
}

TEST_P(InvocationTest, GivenAnInlineFunctionThenItRunsBetweenTwoThreads) {
  Ranks(options(2)).run([](Cluster& cluster) {
    const auto in_a_thread = []() noexcept {
      return runtime::this_thread::id() != runtime::ThreadId();
    };
    EXPECT_FALSE(cluster.here().invoke_inline(1 - cluster.rank(), in_a_thread));
    EXPECT_TRUE(cluster.here().invoke(1 - cluster.rank(), in_a_thread));
  });
}

/// Ranks whose calls have all been given up.
std::atomic<int> ranks_without_patience{0};

TEST_P(InvocationTest, GivenALimitWhenItIsReachedThenTheCallEndsAndTheAnswerIsDropped) {
  ranks_without_patience = 0;
  Ranks(options(2)).run([](Cluster& cluster) {
    const int other = 1 - cluster.rank();
    const auto slow = [] {
      while (ranks_without_patience < 2) runtime::this_thread::sleep_for(1ms);
    };
    try {
      cluster.here().within(runtime::io::within(2ms)).invoke(other, slow);
      ADD_FAILURE() << "the call was in time";
    } catch (const std::system_error& error) {
      EXPECT_EQ(error.code(), std::errc::timed_out);
    }
    std::stop_source stop;
    runtime::Thread stopper([&stop] {
      runtime::this_thread::sleep_for(2ms);
      stop.request_stop();
    });
    try {
      cluster.here().within(runtime::io::unless(stop.get_token())).invoke(other, slow);
      ADD_FAILURE() << "the call was not given up";
    } catch (const std::system_error& error) {
      EXPECT_EQ(error.code(), std::errc::operation_canceled);
    }
    stopper.join();
    ++ranks_without_patience;
    EXPECT_EQ(cluster.here().invoke(other, [] { return 7; }), 7);
  });
}

TEST_P(InvocationTest, GivenAnOsThreadWhenItInvokesThenItGetsTheValueToo) {
  Loopback net({.ranks = 2});
  runtime::Runtime here({.workers = 1});
  runtime::Runtime there({.workers = 1});
  Cluster zero(here, net.link(0));
  Cluster one(there, net.link(1));
  EXPECT_EQ(zero.here().invoke(
                1, [](int x) { return x + 1; }, 1),
            2);
  EXPECT_EQ(zero.here().invoke(
                0, [](int x) { return x + 1; }, 1),
            2);
  std::thread leaving([&] { zero.leave(); });
  one.leave();
  leaving.join();
}

TEST_P(InvocationTest, GivenWorkersThatComputeWhenInvokedInlineThenTheAnswerComes) {
  static std::atomic<bool> done;
  done = false;
  Ranks(options(2)).run([](Cluster& cluster) {
    if (cluster.rank() == 0) {
      EXPECT_EQ(cluster.here().invoke_inline(
                    1, [](int x) noexcept { return x; }, 3),
                3);
      done = true;
      return;
    }
    while (!done) runtime::this_thread::poll();
  });
}

INSTANTIATE_TEST_SUITE_P(Networks, InvocationTest, testing::Range(0, 4));
INSTANTIATE_TEST_SUITE_P(Soak, InvocationTest, testing::Range(4, 104));

TEST(ClusterTest, GivenOneRankThenItInvokesOnItself) {
  runtime::Runtime runtime({.workers = 2});
  Cluster cluster(runtime);
  EXPECT_EQ(cluster.size(), 1);
  runtime.run([&] {
    EXPECT_EQ(cluster.here().invoke(
                  0, [](int x) { return 2 * x; }, 21),
              42);
    cluster.here().post(0, [] {});
    cluster.here().quiesce();
    EXPECT_THROW(cluster.here().invoke(1, [] {}), std::out_of_range);
    EXPECT_THROW(cluster.here().post(-1, [] {}), std::out_of_range);
  });
  EXPECT_EQ(cluster.statistics().messages_sent, 0U);
  EXPECT_EQ(runtime.statistics().workers[0].polls, 0U) << "nobody polls for one rank";
}

TEST(ClusterTest, GivenSmallMessagesWhenManyAreSentThenTheyTravelTogether) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    if (cluster.rank() != 0) return;
    for (int i = 0; i < 2000; ++i)
      cluster.here().post(
          1, [](int) {}, i);
    cluster.here().quiesce();
    const ClusterStatistics cost = cluster.statistics();
    EXPECT_GE(cost.messages_sent, 2000U);
    EXPECT_LT(cost.frames_sent, cost.messages_sent / 4);
  });
}

TEST(ClusterTest, GivenInlinePostsOfOneFunctionWhenTheyFollowEachOtherThenTheyShareMessages) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    if (cluster.rank() != 0) return;
    for (int i = 0; i < 20000; ++i) {
      cluster.here().post_inline(
          1, [](int) noexcept {}, i);
    }
    cluster.here().quiesce();
    const ClusterStatistics cost = cluster.statistics();
    EXPECT_LT(cost.messages_sent, 2000U);
    EXPECT_LT(cost.bytes_sent, 2U * 20000 * sizeof(int));
  });
}

TEST(ClusterTest, GivenAPostToItselfWhenTheClusterEndsThenItHasRunBefore) {
  std::atomic<int> runs{0};
  static std::atomic<int>* counter;
  counter = &runs;
  runtime::Runtime runtime({.workers = 2});
  runtime.run([&] {
    Cluster cluster(runtime);
    for (int i = 0; i < 100; ++i) cluster.here().post(0, [] { ++*counter; });
  });
  EXPECT_EQ(runs, 100);
}

TEST(ClusterTest, GivenMoreWorkersThanCoresThenFunctionsThatWaitForLaterOnesEndToo) {
  static std::atomic<int> there;
  Ranks ranks({.ranks = 2, .workers = 8, .net = {}, .cluster = {.window = 4}});
  there = 0;
  runtime::CountingSemaphore all_there(0);
  gate = &all_there;
  ranks.run([](Cluster& cluster) {
    if (cluster.rank() != 0) return;
    for (int i = 0; i < 10; ++i) {
      cluster.here().post(1, [] {
        if (++there == 10) gate->release(10);
        gate->acquire();
      });
    }
    cluster.here().quiesce();
  });
  EXPECT_EQ(there, 10);
}

TEST(ClusterTest, GivenVectorsOfWhatHasASayInItsPackingThenItIsAskedForEachElement) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    const auto joined = [](const std::vector<std::string_view>& words,
                           const std::vector<bool>& flags) {
      std::string text;
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (flags[i]) text += words[i];
      }
      return text;
    };
    EXPECT_EQ(cluster.here().invoke(1 - cluster.rank(), joined,
                                    std::vector<std::string_view>{"a", "bc", "def"},
                                    std::vector<bool>{true, false, true}),
              "adef");
  });
}

TEST(ClusterTest, GivenATypeWithoutADefaultConstructorThenItTravelsByItsBytes) {
  struct Rows {
    explicit Rows(int rows) : count(rows) {}
    int count;
  };
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    const auto twice = [](const Rows& rows) { return Rows(2 * rows.count); };
    EXPECT_EQ(cluster.here().invoke(1 - cluster.rank(), twice, Rows(4)).count, 8);
  });
}

TEST(ClusterTest, GivenARankThatHasServedCallsWhenNothingComesThenItsWorkerSleeps) {
  Ranks({.ranks = 2}).run([](Cluster& cluster) {
    cluster.here().invoke(1 - cluster.rank(), [] {});
    const auto sleeps = [&] {
      const ClusterStatistics before = cluster.statistics();
      runtime::this_thread::sleep_for(100ms);
      return cluster.statistics().polls - before.polls;
    };
    // Searches that end in sleep come with timers and the other rank's last messages.
    EXPECT_LT(sleeps(), 2000U);
  });
}

TEST(ClusterTest, GivenCountsThatComeTooLateThenTheirRankIsNotLost) {
  Ranks ranks({.ranks = 2});
  ranks.run([&](Cluster& cluster) {
    if (cluster.rank() != 0) return;
    // There and back takes 60 ms: of the two rounds the second one is late.
    ranks.net().slow(1, 30ms);
    EXPECT_THROW(cluster.here().within(runtime::io::within(90ms)).quiesce(), std::system_error);
    ranks.net().slow(1, 0ms);
    EXPECT_EQ(cluster.here().invoke(1, [] { return 1; }), 1);
    runtime::this_thread::sleep_for(60ms);
    EXPECT_FALSE(cluster.here().is_lost(1));
  });
}

TEST(ClusterTest, GivenAWindowOfNoneThenItIsRefused) {
  runtime::Runtime runtime({.workers = 1});
  EXPECT_THROW(Cluster(runtime, ClusterOptions{.window = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::cluster
