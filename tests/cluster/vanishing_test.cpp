// Ranks that vanish at any moment, while all call each other over a network in disorder. By the
// test's number: how many ranks there are, who vanishes and when, and what is called.
//
// - Every call ends: with its value, or in RankLost of a rank that has vanished.
// - Calls between the others have their values, before and after.
// - The others leave together, without running out of patience.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/collectives.hpp>
#include <kumiko/cluster/token.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::cluster {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Through `first`, on to `second`, and back.
struct Through {
  int operator()(const Here& here, int second, int x) const {
    return 1 + here.invoke(
                   second, [](int y) { return 2 * y; }, x);
  }
};

/// Sends a token's value from `second`, by way of the rank where it runs.
struct PassOn {
  void operator()(const Here& here, int second, RemoteToken<int> token) const {
    try {
      here.post(
          second, [](RemoteToken<int> kept) { kept.send(9); }, std::move(token));
    } catch (const RankLost&) {
      // The token is destroyed, which its entry is told.
    }
  }
};

class VanishingTest : public testing::TestWithParam<int> {
 protected:
  std::mt19937_64 random_of(int stream) const {
    return std::mt19937_64(1000003 * static_cast<std::uint64_t>(GetParam()) +
                           static_cast<std::uint64_t>(stream));
  }

  static int below(std::mt19937_64& random, int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit));
  }

  RanksOptions options() {
    std::mt19937_64 random = random_of(0);
    const int ranks = 3 + below(random, 3);
    RanksOptions options{.ranks = ranks, .workers = 1 + below(random, 2)};
    options.net = {.longest_delay = std::chrono::microseconds(below(random, 400)),
                   .reorders = below(random, 2) == 0,
                   .seed = static_cast<std::uint64_t>(GetParam()),
                   .detection = std::chrono::milliseconds(below(random, 15))};
    options.cluster.window = std::array{1, 3, 64}[static_cast<std::size_t>(below(random, 3))];
    vanishes_.assign(static_cast<std::size_t>(ranks), false);
    vanishes_[static_cast<std::size_t>(below(random, ranks))] = true;
    if (ranks > 3) vanishes_[static_cast<std::size_t>(below(random, ranks))] = true;
    return options;
  }

  bool vanishes(int rank) const { return vanishes_[static_cast<std::size_t>(rank)]; }

  /// What a call may throw: its own rank, or one that it needs, is lost.
  template <class Call>
  void expect_value_or_loss(const Here& here, Call call) {
    try {
      call();
    } catch (const RankLost& lost) {
      EXPECT_TRUE(vanishes(lost.rank()) || vanishes(here.rank())) << lost.what();
    } catch (const RemoteError& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what.find("is lost") != std::string::npos ||
                  what.find("destroyed without sending") != std::string::npos)
          << what;
    }
  }

  void call_anybody(const Here& here, std::mt19937_64& random) {
    const int rank = below(random, here.size());
    const int second = below(random, here.size());
    const int x = below(random, 1000);
    switch (below(random, 6)) {
      case 0:
        EXPECT_EQ(here.invoke(rank, Through{}, second, x), 2 * x + 1);
        break;
      case 1:
        EXPECT_EQ(here.invoke_inline(
                      rank, [](int y) noexcept { return y + 1; }, x),
                  x + 1);
        break;
      case 2: {
        std::vector<int> numbers(static_cast<std::size_t>(20 * x));
        std::iota(numbers.begin(), numbers.end(), x);
        const auto reversed = [](std::span<const int> sent) {
          return std::vector<int>(sent.rbegin(), sent.rend());
        };
        Future<std::vector<int>> echo = here.async(rank, reversed, std::span<const int>(numbers));
        std::reverse(numbers.begin(), numbers.end());
        EXPECT_EQ(echo.get(), numbers);
        break;
      }
      case 3: {
        std::vector<Future<int>> answers;
        for (int i = 0; i < 20; ++i) answers.push_back(here.async(rank, Through{}, second, i));
        for (int i = 0; i < 20; ++i) {
          expect_value_or_loss(
              here, [&] { EXPECT_EQ(answers[static_cast<std::size_t>(i)].get(), 2 * i + 1); });
        }
        break;
      }
      case 4: {
        RemoteEntry<int> entry(here);
        here.post(rank, PassOn{}, second, entry.token());
        EXPECT_EQ(entry.get(), 9);
        break;
      }
      default:
        here.post(rank, [] {});
        break;
    }
  }

  void flood(const Here& here, int stream) {
    std::mt19937_64 random = random_of(stream);
    for (int i = 0; i < 60; ++i) {
      expect_value_or_loss(here, [&] { call_anybody(here, random); });
    }
  }

  void collect(const Here& here) {
    for (int i = 0; i < 10; ++i) {
      expect_value_or_loss(here, [&] {
        EXPECT_EQ(max(here, here.rank() + i).get(), here.size() - 1 + i);
        here.quiesce();
      });
    }
  }

  void expect_the_others_to_go_on(const Here& here) {
    for (int rank = 0; rank < here.size(); ++rank) {
      if (!vanishes(rank)) {
        EXPECT_EQ(here.invoke(
                      rank, [](const Here& there, int y) { return y + there.rank(); }, 3),
                  3 + rank);
        continue;
      }
      while (!here.is_lost(rank)) runtime::this_thread::sleep_for(1ms);
      EXPECT_THROW(here.invoke(rank, [] {}), RankLost);
      EXPECT_THROW(here.post_inline(rank, []() noexcept {}), RankLost);
    }
    EXPECT_THROW(barrier(here).get(), RankLost);
    EXPECT_THROW(here.quiesce(), RankLost);
  }

  std::vector<bool> vanishes_;
};

TEST_P(VanishingTest, GivenRanksThatVanishWhileAllCallThenEveryCallEndsAndTheOthersGoOn) {
  const RanksOptions options = this->options();
  Ranks ranks(options);
  ranks.run([&](Cluster& cluster) {
    const Here here = cluster.here();
    std::vector<runtime::Thread> threads;
    if (vanishes(here.rank())) {
      std::mt19937_64 random = random_of(100 + here.rank());
      const std::chrono::microseconds moment(below(random, 30000));
      threads.emplace_back([&, moment] {
        runtime::this_thread::sleep_for(moment);
        ranks.net().vanish(here.rank());
        cluster.abandon("");  // nobody hears of it
      });
    }
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] { flood(here, 10 * (here.rank() + 1) + i); });
    }
    collect(here);
    for (runtime::Thread& thread : threads) thread.join();
    if (vanishes(here.rank())) return;
    expect_the_others_to_go_on(here);
    const auto begin = Clock::now();
    cluster.leave();
    EXPECT_LT(Clock::now() - begin, options.cluster.patience);
  });
}

INSTANTIATE_TEST_SUITE_P(Networks, VanishingTest, testing::Range(1, 7));
INSTANTIATE_TEST_SUITE_P(Soak, VanishingTest, testing::Range(7, 207));

}  // namespace
}  // namespace kumiko::cluster
