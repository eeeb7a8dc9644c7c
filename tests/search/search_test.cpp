// Contract of PartExchange: a search whose parts go to other ranks finds what the serial program
// finds, in its order, whatever the network does to messages and whichever other ranks are lost;
// stops and exceptions reach all ranks; what cannot travel is refused.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>
#include <kumiko/search/search.hpp>

#include "cluster/support.hpp"
#include "queens.hpp"

namespace kumiko::search::queens {
namespace {

using namespace std::chrono_literals;
using cluster::Cluster;
using cluster::Ranks;
using cluster::RanksOptions;

class SharedSearchTest : public testing::TestWithParam<int> {
 protected:
  RanksOptions options(int ranks) const {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    RanksOptions options{.ranks = ranks, .workers = 1 + GetParam() % 2};
    options.net = {.longest_delay = std::chrono::microseconds(seed % 3 * 150),
                   .reorders = seed % 2 == 0,
                   .seed = seed};
    return options;
  }
};

TEST_P(SharedSearchTest, GivenRanksWithoutWorkWhenOneSearchesThenAllIsFoundAndPartsWereGiven) {
  Ranks ranks(options(2 + GetParam() % 3));
  std::atomic<std::uint64_t> taken = 0;
  std::atomic<std::uint64_t> given = 0;
  ranks.run([&](Cluster& cluster) {
    PartExchange exchange(cluster);
    if (cluster.rank() == 0) {
      do {  // the others may come late
        Search<Board> search(Board(8), exchange.outside());
        place_from(search, 0, Slowly());
        expect_all(search);
        EXPECT_EQ(search.statistics().undos, search.statistics().redos);
      } while (exchange.statistics().given == 0);
    }
    exchange.leave();
    taken += exchange.statistics().taken;
    given += exchange.statistics().given;
  });
  EXPECT_GT(taken, 0U);
  EXPECT_EQ(taken, given);
}

TEST_P(SharedSearchTest, GivenAPartThatStopsTheSearchThenAllRanksEndEarly) {
  Ranks ranks(options(3));
  ranks.run([&](Cluster& cluster) {
    PartExchange exchange(cluster);
    if (cluster.rank() == 0) {
      Search<Board> search(Board(9), exchange.outside());
      place_from(search, 0, [](Search<Board>& at, int row) {
        Slowly()(at, row);
        // In whichever part this lies.
        if (row == 7 && at->columns[0] == 4) at.stop();
      });
      EXPECT_TRUE(search.stopped());
      EXPECT_LT(search->found.size(), serial(9).size());
    }
    exchange.leave();
  });
}

TEST_P(SharedSearchTest,
       GivenAPartThatThrowsThenItIsToldWhereItWasGivenAwayAndTheNextSearchIsRight) {
  Ranks ranks(options(2));
  ranks.run([&](Cluster& cluster) {
    PartExchange exchange(cluster);
    if (cluster.rank() == 0) {
      {
        Search<Board> search(Board(8), exchange.outside());
        std::string told;
        try {
          place_from(search, 0, [](Search<Board>& at, int row) {
            Slowly()(at, row);
            if (row == 3 && at->columns[0] == 6) throw std::runtime_error("too deep");
          });
        } catch (const std::runtime_error& error) {  // here, or a PartError
          told = error.what();
        }
        EXPECT_EQ(told, "too deep");
        search->found.clear();
        EXPECT_EQ(search->columns, Board(8).columns);
      }
      Search<Board> next(Board(7), exchange.outside());
      place_from(next, 0, Slowly());
      expect_all(next);
    }
    exchange.leave();
  });
}

TEST_P(SharedSearchTest, GivenRanksThatVanishThenTheResultIsTheSame) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  Ranks ranks(options(4));
  const int vanishes = 1 + static_cast<int>(random() % 3);
  const auto moment = std::chrono::microseconds(random() % 30000);
  std::atomic<int> made = 0;
  ranks.run([&](Cluster& cluster) {
    PartExchange exchange(cluster);
    ++made;
    if (cluster.rank() == 0) {
      Search<Board> search(Board(8), exchange.outside());
      place_from(search, 0, Slowly());
      expect_all(search);
    } else if (cluster.rank() == vanishes) {
      while (made < cluster.size()) runtime::this_thread::sleep_for(1ms);
      runtime::this_thread::sleep_for(moment);
      ranks.net().vanish(vanishes);
      cluster.abandon("");
    }
    exchange.leave();
  });
}
INSTANTIATE_TEST_SUITE_P(Seeds, SharedSearchTest, testing::Range(1, 9));
INSTANTIATE_TEST_SUITE_P(Soak, SharedSearchTest, testing::Range(9, 109));

/// The counts of all ranks of the next test.
struct CountedByAll {
  std::atomic<std::uint64_t> given{0};
  std::atomic<std::uint64_t> taken{0};
};

TEST(SharedSearchRecord, GivenASearchThenItsRecordHasEachPartOnceAndTheSumsOfAllRanks) {
  Ranks ranks({.ranks = 3, .workers = 1});
  CountedByAll counted;
  std::string text;
  ranks.run([&](Cluster& cluster) {
    PartExchange exchange(cluster);
    if (cluster.rank() == 0) {
      EXPECT_THROW(exchange.record(""), std::logic_error);
      do {
        Search<Board> search(Board(8), exchange.outside());
        place_from(search, 0, Slowly());
        expect_all(search);
      } while (exchange.statistics().given == 0);
    }
    exchange.leave();
    counted.given += exchange.statistics().given;
    counted.taken += exchange.statistics().taken;
    if (cluster.rank() == 0) {
      text = exchange.record("all placements");
    } else {
      EXPECT_THROW(exchange.record(""), std::logic_error);
    }
  });
  const auto record = nlohmann::json::parse(text);
  EXPECT_EQ(record["title"], "all placements");
  ASSERT_EQ(record["processes"].size(), 3U);
  std::uint64_t given = 0;
  std::uint64_t taken = 0;
  for (const auto& process : record["processes"]) {
    EXPECT_TRUE(process["told"]);
    EXPECT_EQ(process["workers"], 1);
    EXPECT_LE(process["active_s"],
              process["end_s"].get<double>() - process["begin_s"].get<double>());
    given += process["given"].get<std::uint64_t>();
    taken += process["taken"].get<std::uint64_t>();
  }
  EXPECT_EQ(given, counted.given);
  EXPECT_EQ(taken, counted.taken);
  std::uint64_t used = 0;
  std::uint64_t parts = 0;
  for (const auto& part : record["parts"]) {
    if (part["giver"] == part["taker"]) continue;
    ++parts;
    used += part["became"] == "used" ? 1 : 0;
    EXPECT_LE(part["given_s"], part["back_s"]);
    EXPECT_LE(part["begin_s"], part["end_s"]);
    EXPECT_GE(part["divisions"], 1);
    EXPECT_GT(part["bytes"], 0);
  }
  EXPECT_EQ(parts, counted.given);
  EXPECT_GT(used, 0U);
}

/// By what the search of the next test is stopped, in the midst of its giving a part away.
std::stop_source stop_in_give;

TEST(SharedSearchStop, GivenAStopWhileAPartIsGivenThenThatPartEndsToo) {
  Ranks ranks;
  stop_in_give = {};
  ranks.run([&](Cluster& cluster) {
    PartExchange exchange(cluster);
    if (cluster.rank() == 0) {
      Search<Board> search(Board(8), exchange.outside(), stop_in_give.get_token());
      const auto body = [](Search<Board>&, int) { std::this_thread::sleep_for(1ms); };
      const auto give = [](const Board& here, int, int) {
        stop_in_give.request_stop();
        return here;
      };
      const auto take = [](Board&, Board&&) {};
      // Would take a quarter of an hour.
      search.split_for(0, 1 << 20, body, give, take);
      EXPECT_TRUE(search.stopped());
    }
    exchange.leave();
  });
}

/// True if the endless loop of the next test has begun, and runs in another process, too.
std::atomic<bool> loop_has_begun = false;
std::atomic<bool> loop_is_shared = false;

TEST(SharedSearchStop, GivenAPartThatHasGivenOneToAnotherRankWhenItsGiverThrowsThenBothEnd) {
  Ranks ranks({.ranks = 2, .workers = 2});
  loop_has_begun = loop_is_shared = false;
  ranks.run([&](Cluster& cluster) {
    PartExchange exchange(cluster);
    // Lets a part have its turn that was asked for before.
    const auto keep_busy = [] {
      while (!loop_has_begun) {
        std::this_thread::sleep_for(1ms);
        runtime::this_thread::yield();
      }
    };
    if (cluster.rank() == 0) {
      Search<Board> search(Board(8), exchange.outside());
      const auto once = [](Search<Board>& at, int) {
        loop_has_begun = true;
        if (at->size == 9) loop_is_shared = true;
        std::this_thread::sleep_for(1ms);
      };
      const auto give_larger = [](const Board& here, int, int) {
        Board there = here;
        there.size = 9;
        return there;
      };
      const auto give = [](const Board& here, int, int) { return here; };
      const auto take = [](Board&, Board&&) {};
      const auto body = [=](Search<Board>& at, int i) {
        if (i == 1) return at.split_for(0, 1 << 20, once, give_larger, take);
        while (!loop_is_shared) {
          if (!loop_has_begun) at.poll();
          std::this_thread::sleep_for(1ms);
        }
        throw std::runtime_error("enough");
      };
      EXPECT_THROW(search.split_for(0, 2, body, give, take), std::runtime_error);
    } else {
      // So that it is the other worker of rank 0 that gets the loop.
      runtime::Thread beside(keep_busy);
      keep_busy();
      beside.join();
    }
    exchange.leave();
  });
}

/// Searches until a poll gives a part away, which has captured what it must not.
TEST(SharedSearchMisuse, GivenAReferenceToALocalVariableThenItIsRefused) {
  Ranks ranks;
  ranks.run([&](Cluster& cluster) {
    PartExchange exchange(cluster);
    if (cluster.rank() == 0) {
      Search<Board> search(Board(8), exchange.outside());
      long count = 0;
      const auto body = [&count](Search<Board>&, int) {
        ++count;
        std::this_thread::sleep_for(1ms);
      };
      const auto give = [](const Board& here, int, int) { return here; };
      const auto take = [](Board&, Board&&) {};
      EXPECT_THROW(search.split_for(0, 1 << 20, body, give, take), std::logic_error);
      EXPECT_GT(count, 0);
    }
    exchange.leave();
  });
}

/// Leaves addresses on the stack, of what will be local variables there.
[[gnu::noinline]] void leave_addresses() {
  volatile std::uintptr_t words[256];
  for (auto& word : words) word = reinterpret_cast<std::uintptr_t>(&words) + sizeof words;
}

TEST(SharedSearchMisuse, GivenAddressesLeftBetweenWhatIsCapturedThenNothingIsRefused) {
  Ranks ranks;
  ranks.run([&](Cluster& cluster) {
    PartExchange exchange(cluster);
    if (cluster.rank() == 0) {
      while (exchange.statistics().given == 0) {
        Search<Board> search(Board(8), exchange.outside());
        // Between these and the functions without captures is room for an address.
        const auto body = [n = std::size_t{1}, b = true](Search<Board>& at, std::size_t i) {
          if (b) at->size = static_cast<int>(n + i);
          leave_addresses();
          std::this_thread::sleep_for(100us);
        };
        const auto give = [](const Board& here, std::size_t, std::size_t) { return here; };
        const auto take = [](Board&, Board&&) {};
        leave_addresses();
        EXPECT_NO_THROW(search.split_for(std::size_t{0}, std::size_t{50}, body, give, take));
        if (HasFailure()) break;
      }
    }
    exchange.leave();
  });
}

TEST(SharedSearchOfOne, GivenOneRankThenNothingIsSent) {
  Ranks ranks({.ranks = 1, .workers = 2});
  ranks.run([&](Cluster& cluster) {
    PartExchange exchange(cluster);
    Search<Board> search(Board(8), exchange.outside());
    place_from(search, 0);
    expect_all(search);
    EXPECT_EQ(search.statistics().sent, 0U);
    EXPECT_EQ(exchange.statistics().asks, 0U);
  });
}

TEST(SharedSearches, GivenSeveralExchangesOfEachRankThenEachSearchFindsItsOwn) {
  Ranks ranks({.ranks = 2, .workers = 2});
  ranks.run([&](Cluster& cluster) {
    PartExchange first(cluster);
    PartExchange second(cluster);
    for (PartExchange* const exchange : {&second, &first}) {
      Search<Board> search(Board(8), exchange->outside());
      place_from(search, 0);
      expect_all(search);
    }
    second.leave();
    first.leave();
    PartExchange next(cluster);
    next.leave();
  });
}

TEST(SharedSearches, GivenSearchesOnAllRanksAtOnceThenEachFindsItsOwn) {
  Ranks ranks({.ranks = 3, .workers = 2});
  ranks.run([&](Cluster& cluster) {
    PartExchange exchange(cluster);
    for (int i = 0; i < 3; ++i) {
      Search<Board> search(Board(6 + (cluster.rank() + i) % 3), exchange.outside());
      place_from(search, 0, Slowly());
      expect_all(search);
    }
    exchange.leave();
  });
}

TEST(SharedSearches, GivenManyExchangesOneAfterTheOtherThenEachFindsItsOwn) {
  Ranks ranks;
  ranks.run([&](Cluster& cluster) {
    std::uint64_t taken = 0;
    for (int i = 0; i < 8; ++i) {
      PartExchange exchange(cluster);
      if (cluster.rank() == i % 2) {
        Search<Board> search(Board(7), exchange.outside());
        place_from(search, 0, Slowly());
        expect_all(search);
      }
      exchange.leave();
      taken += exchange.statistics().taken;
    }
    EXPECT_GT(taken, 0U);
  });
}

}  // namespace
}  // namespace kumiko::search::queens
