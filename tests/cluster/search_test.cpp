// Contract of PartExchange: a search whose parts go to other ranks finds what the serial program
// finds, in its order, whatever the network does to messages and whichever other ranks are lost;
// stops and exceptions reach all ranks; what cannot travel is refused.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/cluster/search.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support.hpp"

namespace kumiko::cluster {
namespace queens {

using namespace std::chrono_literals;

constexpr std::size_t kMost = 10;
using Placement = std::array<std::uint8_t, kMost>;

struct Board {
  explicit Board(int rows) : size(rows) {
    std::iota(columns.begin(), columns.end(), std::uint8_t{0});
  }

  bool is_free(int row, int i) const {
    return !rising[sum(row, i)] && !falling[difference(row, i)];
  }
  void place(int row, int i) {
    std::swap(columns[at(row)], columns[at(i)]);
    mark(row, true);
  }
  void remove(int row, int i) {
    mark(row, false);
    std::swap(columns[at(row)], columns[at(i)]);
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::size_t sum(int row, int i) const { return at(row) + columns[at(i)]; }
  std::size_t difference(int row, int i) const { return at(size - 1 + row) - columns[at(i)]; }
  void mark(int row, bool taken) {
    rising[sum(row, row)] = taken;
    falling[difference(row, row)] = taken;
  }

  int size;
  Placement columns{};
  std::array<bool, 2 * kMost> rising{};
  std::array<bool, 2 * kMost> falling{};
  std::vector<Placement> found{};
};

/// What a test does at each placement.
struct Nothing {
  void operator()(Search<Board>&, int) const noexcept {}
};

template <class At, class Each = Nothing>
void place_from(At& search, int row, Each each = {}) {
  const auto body = [row, each](At& at, int i) {
    if (!at->is_free(row, i)) return;
    at.reversible([=](Board& board) { board.place(row, i); },
                  [&at, row, each] {
                    each(at, row);
                    if (row + 1 == at->size) {
                      at->found.push_back(at->columns);
                    } else {
                      place_from(at, row + 1, each);
                    }
                  },
                  [=](Board& board) { board.remove(row, i); });
  };
  const auto give = [](const Board& here, int, int) {
    Board part = here;
    part.found.clear();
    return part;
  };
  const auto take = [](Board& here, Board&& part) {
    here.found.insert(here.found.end(), part.found.begin(), part.found.end());
  };
  search.split_for(row, search->size, body, give, take);
}

void find_serially(Board& board, int row) {
  if (row == board.size) return board.found.push_back(board.columns);
  for (int i = row; i < board.size; ++i) {
    if (!board.is_free(row, i)) continue;
    board.place(row, i);
    find_serially(board, row + 1);
    board.remove(row, i);
  }
}

const std::vector<Placement>& serial(int size) {
  static std::array<std::vector<Placement>, kMost + 1> known;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::vector<Placement>& found = known[static_cast<std::size_t>(size)];
  if (found.empty()) {
    Board board(size);
    find_serially(board, 0);
    found = board.found;
  }
  return found;
}

}  // namespace queens

template <>
struct Packing<queens::Board> {
  static void pack(Writer& writer, queens::Board& board) {
    Packing<int>::pack(writer, board.size);
    Packing<queens::Placement>::pack(writer, board.columns);
    Packing<decltype(board.rising)>::pack(writer, board.rising);
    Packing<decltype(board.falling)>::pack(writer, board.falling);
    Packing<std::vector<queens::Placement>>::pack(writer, board.found);
  }
  static queens::Board unpack(Reader& reader) {
    queens::Board board(Packing<int>::unpack(reader));
    board.columns = Packing<queens::Placement>::unpack(reader);
    board.rising = Packing<decltype(board.rising)>::unpack(reader);
    board.falling = Packing<decltype(board.falling)>::unpack(reader);
    board.found = Packing<std::vector<queens::Placement>>::unpack(reader);
    return board;
  }
};

namespace queens {

/// Slow enough for others to ask meanwhile, also on a loaded machine.
struct Slowly {
  void operator()(Search<Board>&, int row) const {
    if (row == 2) std::this_thread::sleep_for(200us);
  }
};

void expect_all(Search<Board>& search) {
  EXPECT_EQ(search->found, serial(search->size));
  search->found.clear();
  const Board begin(search->size);
  EXPECT_EQ(search->columns, begin.columns);
  EXPECT_EQ(search->rising, begin.rising);
  EXPECT_EQ(search->falling, begin.falling);
}

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

}  // namespace queens
}  // namespace kumiko::cluster
