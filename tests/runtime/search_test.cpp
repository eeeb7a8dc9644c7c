// Contract of Search: whatever is given away, a search finds what the serial program finds, in its
// order, and leaves the workspace as it was; nothing is given away unasked, one ask leads to one
// part at most. Stops and exceptions end all parts, and what is used wrongly is refused.
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <kumiko/runtime/best_so_far.hpp>
#include <kumiko/runtime/invoke.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/parallel_for.hpp>
#include <kumiko/runtime/search.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "core/ask.hpp"
#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

// --- Queens --------------------------------------------------------------------------------------

constexpr std::size_t kMostQueens = 10;
constexpr std::array<long, kMostQueens + 1> kSolutions{1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724};

using Placement = std::vector<std::size_t>;  ///< the column of each row's queen

/// Columns that have no queen yet come behind those that have one, in the order that searching and
/// undoing leaves them in.
struct Queens {
  explicit Queens(std::size_t rows) : size(rows), columns(rows) {
    std::iota(columns.begin(), columns.end(), std::size_t{0});
  }

  bool is_free(std::size_t row, std::size_t i) const {
    return !left[size - 1 - columns[i] + row] && !right[columns[i] + row];
  }
  void place(std::size_t row, std::size_t i) {
    std::swap(columns[row], columns[i]);
    mark(row, true);
  }
  void remove(std::size_t row, std::size_t i) {
    mark(row, false);
    std::swap(columns[row], columns[i]);
  }
  void mark(std::size_t row, bool taken) {
    left[size - 1 - columns[row] + row] = taken;
    right[columns[row] + row] = taken;
  }
  bool operator==(const Queens&) const = default;

  std::size_t size;
  Placement columns;
  std::array<bool, 2 * kMostQueens> left{};
  std::array<bool, 2 * kMostQueens> right{};
  std::vector<Placement> found;
};

struct GiveBoard {
  Queens operator()(const Queens& here, std::size_t, std::size_t) const {
    Queens copy = here;
    copy.found.clear();
    return copy;
  }
};

struct TakeFound {
  void operator()(Queens& here, Queens&& part) const {
    here.found.insert(here.found.end(), part.found.begin(), part.found.end());
  }
};

/// What the program does in one place, for tests that disturb it there.
enum class Place { kDo, kBody, kUndo, kGive, kTake };

struct NoTrouble {
  void operator()(Place) const noexcept {}
};

/// Finds all solutions; calls trouble(place) before it places, gives or takes, and after it
/// removes.
template <class Trouble = NoTrouble>
void place_queens(Search<Queens>& search, std::size_t row, Trouble trouble = {}) {
  const auto give = [trouble](const Queens& here, std::size_t first, std::size_t last) {
    trouble(Place::kGive);
    return GiveBoard()(here, first, last);
  };
  const auto take = [trouble](Queens& here, Queens&& part) {
    trouble(Place::kTake);
    TakeFound()(here, std::move(part));
  };
  const auto body = [row, trouble](Search<Queens>& at, std::size_t i) {
    if (!at->is_free(row, i)) return;
    at.reversible(
        [=](Queens& board) {
          trouble(Place::kDo);
          board.place(row, i);
        },
        [&at, row, trouble] {
          trouble(Place::kBody);
          if (row + 1 == at->size) {
            at->found.push_back(at->columns);
          } else {
            place_queens(at, row + 1, trouble);
          }
        },
        [=](Queens& board) {
          board.remove(row, i);
          trouble(Place::kUndo);
        });
  };
  search.split_for(row, search->size, body, give, take);
}

void find_serially(Queens& board, std::size_t row) {
  if (row == board.size) return board.found.push_back(board.columns);
  for (std::size_t i = row; i < board.size; ++i) {
    if (!board.is_free(row, i)) continue;
    board.place(row, i);
    find_serially(board, row + 1);
    board.remove(row, i);
  }
}

std::vector<Placement> serial_solutions(std::size_t size) {
  Queens board(size);
  find_serially(board, 0);
  EXPECT_EQ(board.found.size(), kSolutions[size]);
  return board.found;
}

/// Runs a search for all placements of queens, whose workspace is to end as it began.
SearchStatistics expect_all_placements(Runtime& runtime, std::size_t size,
                                       const std::vector<Placement>& expected) {
  SearchStatistics statistics;
  runtime.run([&] {
    Search<Queens> search{Queens(size)};
    place_queens(search, 0);
    EXPECT_EQ(search->found, expected);
    search->found.clear();
    EXPECT_EQ(*search, Queens(size));
    statistics = search.statistics();
  });
  EXPECT_EQ(statistics.live, 1U);
  EXPECT_EQ(statistics.undos, statistics.redos);
  EXPECT_EQ(statistics.refusals, 0U);
  return statistics;
}

class SearchTest : public OnWorkers {};
KUMIKO_ON_WORKERS(SearchTest);
class SearchOnSeveral : public OnSeveralWorkers {};
KUMIKO_ON_SEVERAL_WORKERS(SearchOnSeveral);
class SearchUndisturbedOnSeveral : public OnSeveralWorkers {};
KUMIKO_ON_SEVERAL_WORKERS(SearchUndisturbedOnSeveral);

// --- What is found -------------------------------------------------------------------------------

TEST_P(SearchTest, GivenABoardWhenSearchedThenAllIsFoundAsByTheSerialProgram) {
  for (std::size_t size = 1; size <= 9; ++size) {
    expect_all_placements(runtime_, size, serial_solutions(size));
  }
}

/// Divided at every poll, at every second and so on, by the seed; otherwise with each search.
void expect_right_whatever_is_given_away(std::uint64_t seeds, int searches) {
  std::array<std::vector<Placement>, 7> expected;
  for (std::size_t size = 4; size <= 6; ++size) expected[size] = serial_solutions(size);
  std::uint64_t parts = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    Runtime runtime({.workers = static_cast<int>(seed / 4 % 3) + 1, .chaos_seed = seed});
    for (int search = 0; search < searches; ++search) {
      const std::size_t size = 4 + seed % 3;
      parts += expect_all_placements(runtime, size, expected[size]).parts;
    }
  }
  EXPECT_GT(parts, 2 * seeds * static_cast<std::uint64_t>(searches));
}

TEST(SearchChaos, GivenDivisionsUnaskedWhenBoardsAreSearchedThenAllIsFoundAsByTheSerialProgram) {
  expect_right_whatever_is_given_away(24, 10);
}

TEST(SearchChaos, GivenTenThousandDisturbedSearchesThenAllIsFoundAsByTheSerialProgramLong) {
  // What a sanitizer looks for it finds in fewer.
  expect_right_whatever_is_given_away(kSanitized ? 100 : 1000, 10);
}

TEST(SearchChaos, GivenADivisionAtEveryPollWhenABoardIsSearchedThenMostOfItIsGivenAway) {
  Runtime runtime({.workers = 2, .chaos_seed = 4});
  const SearchStatistics statistics = expect_all_placements(runtime, 8, serial_solutions(8));
  EXPECT_GT(statistics.parts, 500U);
  EXPECT_GT(statistics.undos, 100U);
  EXPECT_GT(statistics.generations, 3U);
}

/// Numbers in the order in which a tree's leaves come.
struct Leaves {
  std::vector<int> depths;
  int depth = 0;
};

constexpr auto kGiveLeaves = [](const Leaves& here) { return Leaves{{}, here.depth}; };
constexpr auto kTakeLeaves = [](Leaves& here, Leaves&& part) {
  here.depths.insert(here.depths.end(), part.depths.begin(), part.depths.end());
};

/// A tree that is the deeper the farther to the left.
void collect_leaves(Search<Leaves>& search, int height) {
  if (height <= 0) return search->depths.push_back(search->depth);
  search.reversible([](Leaves& here) { ++here.depth; },
                    [&search, height] {
                      search.split_two(
                          [height](Search<Leaves>& at) { collect_leaves(at, height - 1); },
                          [height](Search<Leaves>& at) { collect_leaves(at, height - 2); },
                          kGiveLeaves, kTakeLeaves);
                    },
                    [](Leaves& here) { --here.depth; });
}

TEST_P(SearchTest, GivenATreeWhenDividedInTwoThenItsLeavesComeFromLeftToRight) {
  std::vector<int> expected;
  const std::function<void(int, int)> walk = [&](int height, int depth) {
    if (height <= 0) return expected.push_back(depth);
    walk(height - 1, depth + 1);
    walk(height - 2, depth + 1);
  };
  walk(12, 0);
  for (std::uint64_t seed = 0; seed <= 8; ++seed) {
    Runtime runtime({.workers = GetParam(), .chaos_seed = seed});
    runtime.run([&] {
      Search<Leaves> search{Leaves{}};
      collect_leaves(search, 12);
      EXPECT_EQ(search->depths, expected);
      EXPECT_EQ(search->depth, 0);
    });
  }
}

/// A sum over indices, and how often each came.
struct Sum {
  std::int64_t total = 0;
  std::int64_t count = 0;
};

constexpr auto kGiveSum = [](const Sum&, auto, auto) { return Sum{}; };
constexpr auto kTakeSum = [](Sum& here, Sum&& part) {
  here.total += part.total;
  here.count += part.count;
};

template <class Index>
void expect_sum_over_all(Search<Sum>& search, Index first, Index last) {
  *search = {};
  search.split_for(
      first, last,
      [](Search<Sum>& at, Index i) {
        at->total += i;
        ++at->count;
      },
      kGiveSum, kTakeSum);
  const auto low = static_cast<std::int64_t>(first);
  const auto high = static_cast<std::int64_t>(last);
  EXPECT_EQ(search->count, high - low);
  EXPECT_EQ(search->total, (high - low) * (low + high - 1) / 2);
}

TEST_P(SearchTest, GivenRangesUpToTheEndsOfTheirTypeWhenDividedThenEachIndexComesOnce) {
  Runtime runtime({.workers = GetParam(), .chaos_seed = 8});
  runtime.run([] {
    Search<Sum> search{Sum{}};
    using Short = std::numeric_limits<std::int16_t>;
    expect_sum_over_all<std::int16_t>(search, Short::min(), Short::min() + 100);
    expect_sum_over_all<std::int16_t>(search, Short::max() - 100, Short::max());
    expect_sum_over_all<unsigned char>(search, 0, 255);
    expect_sum_over_all(search, -2, 300);
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    expect_sum_over_all(search, kMost - 100, kMost);
    expect_sum_over_all(search, 7, 8);
  });
}

TEST_P(SearchTest, GivenAnEmptyOrReversedRangeWhenSearchedThenNothingHappens) {
  runtime_.run([] {
    Search<Sum> search{Sum{}};
    const auto fail = [](Search<Sum>&, int) { FAIL(); };
    search.split_for(0, 0, fail, kGiveSum, kTakeSum);
    search.split_for(5, -5, fail, kGiveSum, kTakeSum);
  });
}

TEST_P(SearchTest, GivenBodiesThatSuspendWhenSearchedThenTheResultIsRight) {
  runtime_.run([] {
    Search<Sum> search{Sum{}};
    Mutex mutex;
    int calls = 0;
    search.split_for(
        0, 200,
        [&](Search<Sum>& at, int i) {
          this_thread::yield();
          const std::lock_guard lock(mutex);
          this_thread::yield();
          ++calls;
          at->total += i;
        },
        kGiveSum, kTakeSum);
    EXPECT_EQ(search->total, 19'900);
    EXPECT_EQ(calls, 200);
  });
}

TEST_P(SearchTest, GivenSearchesInsideLoopsAndSearchesWhenDividedThenEachFindsItsOwn) {
  const std::vector<Placement> expected = serial_solutions(6);
  for (std::uint64_t seed = 0; seed <= 5; ++seed) {
    Runtime runtime({.workers = GetParam(), .chaos_seed = seed});
    std::atomic<int> right{0};
    runtime.run([&] {
      parallel_for(0, 5, [&](int) {
        Search<Sum> outer{Sum{}};
        const auto body = [&](Search<Sum>& at, int i) {
          Search<Queens> inner{Queens(6)};
          invoke([&] { place_queens(inner, 0); }, [&] { right += i; });
          if (inner->found == expected) ++at->count;
        };
        outer.split_for(0, 4, body, kGiveSum, kTakeSum);
        EXPECT_EQ(outer->count, 4);
      });
    });
    EXPECT_EQ(right, 5 * 6);
  }
}

// --- What is given away, and when ----------------------------------------------------------------

TEST(SearchUndisturbed, GivenNobodyWhoAsksWhenSearchedThenNothingIsGivenAwayAndNoThreadMade) {
  Runtime runtime({.workers = 1});
  const SearchStatistics statistics = expect_all_placements(runtime, 8, serial_solutions(8));
  EXPECT_EQ(statistics.parts, 0U);
  EXPECT_EQ(statistics.undos, 0U);
  EXPECT_EQ(statistics.most_live, 1U);
  EXPECT_EQ(runtime.statistics().total().spawned, 0U);
}

TEST_P(SearchUndisturbedOnSeveral,
       GivenAnAskWhenTheBusyWorkerPollsThenTheOldestHalfIsGivenAwayAsItWasThere) {
  // The board of the part is the one before the moves of the giver; its own stays as it is.
  struct Stack {
    std::vector<int> moves;
    std::vector<int> seen_by_part;
  };
  runtime_.run([] {
    std::atomic<bool> part_ran{false};
    std::atomic<bool> has_moved{false};
    Search<Stack> search{Stack{{7}, {}}};
    const auto give = [](const Stack& here, int first, int last) {
      EXPECT_EQ(first, 1);
      EXPECT_EQ(last, 2);
      return Stack{here.moves, {}};
    };
    const auto take = [](Stack& here, Stack&& part) { here.seen_by_part = part.seen_by_part; };
    const auto inner = [&part_ran](Search<Stack>& at, int) {
      hold_worker_until([&] { return !at.poll() || part_ran.load(); });
    };
    const auto body = [&](Search<Stack>& at, int i) {
      if (i == 1) {
        at->seen_by_part = at->moves;
        part_ran = true;
        return;
      }
      at.reversible([](Stack& here) { here.moves.push_back(8); },
                    [&] {
                      has_moved = true;
                      at.split_for(0, 1, inner, give, take);
                      EXPECT_EQ(at->moves, (std::vector{7, 8}));
                    },
                    [](Stack& here) { here.moves.pop_back(); });
    };
    const auto guard = [&has_moved](int, int) noexcept { return has_moved.load(); };
    search.split_for(0, 2, body, give, take, guard);
    EXPECT_EQ(search->moves, std::vector{7});
    EXPECT_EQ(search->seen_by_part, std::vector{7});
    EXPECT_EQ(search.statistics().parts, 1U);
    EXPECT_EQ(search.statistics().undos, 1U);
    EXPECT_EQ(search.statistics().redos, 1U);
  });
}

TEST_P(SearchUndisturbedOnSeveral, GivenIdleWorkersWhenSearchedThenEachAskHasLedToOnePartAtMost) {
  std::uint64_t parts = 0;
  for (int turn = 0; turn < 5; ++turn) {
    parts += expect_all_placements(runtime_, 9, serial_solutions(9)).parts;
  }
  const WorkerStatistics total = runtime_.statistics().total();
  EXPECT_EQ(total.divisions, parts);
  EXPECT_LE(total.divisions, total.asks);
}

TEST_P(SearchUndisturbedOnSeveral, GivenIdleWorkersWhenSearchedThenNoMorePartsLiveThanIsPromised) {
  const std::vector<Placement> expected = serial_solutions(9);
  for (int turn = 0; turn < 5; ++turn) {
    const SearchStatistics statistics = expect_all_placements(runtime_, 9, expected);
    const auto workers = static_cast<std::uint64_t>(GetParam());
    EXPECT_LE(statistics.most_live, 2 * workers * statistics.generations);
  }
}

TEST(SearchChaos, GivenAGuardWhenDividedUnaskedThenWhatItRefusesIsKept) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Runtime runtime({.workers = 2, .chaos_seed = seed});
    runtime.run([] {
      Search<Sum> search{Sum{}};
      const auto give = [](const Sum&, int first, int last) {
        EXPECT_GE(last - first, 10);
        return Sum{};
      };
      const auto guard = [](int first, int last) noexcept { return last - first >= 10; };
      const auto body = [](Search<Sum>& at, int i) { at->total += i; };
      search.split_for(0, 100, body, give, kTakeSum, guard);
      EXPECT_EQ(search->total, 4950);
      EXPECT_LE(search.statistics().parts, 9U);

      const auto never = []() noexcept { return false; };
      const auto nothing = [](Search<Sum>&) {};
      const auto refuse = [](const Sum&) {
        ADD_FAILURE();
        return Sum{};
      };
      search.split_two(nothing, nothing, refuse, kTakeSum, never);
    });
  }
}

TEST(Ask, GivenSeveralWhoWouldAnswerWhenSomebodyAsksThenOneOfThemDoes) {
  constexpr int kTurns = 200;
  detail::Ask ask;
  std::atomic<bool> ended{false};
  std::atomic<int> claims{0};
  std::vector<std::thread> busy;
  for (int i = 0; i < 3; ++i) {
    busy.emplace_back([&] {
      hold_worker_until([&] {
        if (ask.claim()) {
          ++claims;
          ask.answer();
        }
        return ended.load();
      });
    });
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    // The first raise() after the answer only learns of it.
    hold_worker_until([&] { return ask.raise(); });
    hold_worker_until([&] { return claims > turn; });
    EXPECT_EQ(claims, turn + 1);
  }
  ended = true;
  for (std::thread& thread : busy) thread.join();
  EXPECT_EQ(claims, kTurns);
}

TEST(Ask, GivenAnAskWhenItIsWithdrawnThenNobodyAnswersIt) {
  detail::Ask ask;
  EXPECT_TRUE(ask.raise());
  EXPECT_FALSE(ask.raise());
  EXPECT_TRUE(ask.is_open());
  ask.withdraw();
  EXPECT_FALSE(ask.is_open());
  EXPECT_FALSE(ask.claim());
  EXPECT_TRUE(ask.raise());
}

TEST(Ask, GivenAnAskThatIsClaimedWhenItIsWithdrawnThenNoneIsRaisedBeforeItIsAnswered) {
  detail::Ask ask;
  EXPECT_TRUE(ask.raise());
  EXPECT_TRUE(ask.claim());
  EXPECT_FALSE(ask.claim());
  ask.withdraw();
  EXPECT_FALSE(ask.raise());
  ask.answer();
  EXPECT_TRUE(ask.raise());
}

// --- Stopping ------------------------------------------------------------------------------------

TEST_P(SearchTest, GivenAStopAtTheFirstSolutionWhenSearchedThenItIsTakenAndTheBoardIsAsBefore) {
  for (std::uint64_t seed = 0; seed <= 5; ++seed) {
    Runtime runtime({.workers = GetParam(), .chaos_seed = seed});
    runtime.run([] {
      Search<Queens> search{Queens(8)};
      const std::function<void(Search<Queens>&, std::size_t)> find = [&](Search<Queens>& here,
                                                                         std::size_t row) {
        const auto body = [&find, row](Search<Queens>& at, std::size_t i) {
          if (!at->is_free(row, i)) return;
          at.reversible([=](Queens& board) { board.place(row, i); },
                        [&] {
                          if (row + 1 < at->size) return find(at, row + 1);
                          at->found.push_back(at->columns);
                          at.stop();
                        },
                        [=](Queens& board) { board.remove(row, i); });
        };
        here.split_for(row, here->size, body, GiveBoard(), TakeFound());
      };
      find(search, 0);
      EXPECT_TRUE(search.stopped());
      EXPECT_GE(search->found.size(), 1U);
      EXPECT_LT(search->found.size(), 20U);
      EXPECT_EQ(search.statistics().live, 1U);
      search->found.clear();
      EXPECT_EQ(*search, Queens(8));
    });
  }
}

/// Searches without an end, in as many parts as are asked for.
void search_for_ever(Search<Sum>& search) {
  const auto body = [](Search<Sum>& at, std::int64_t) {
    ++at->count;
    this_thread::yield();
  };
  search.split_for(std::int64_t{0}, std::numeric_limits<std::int64_t>::max(), body, kGiveSum,
                   kTakeSum);
}

TEST_P(SearchTest, GivenAStopTokenWhenAStopIsRequestedOutsideThenAllPartsEnd) {
  std::stop_source source;
  std::atomic<bool> begun{false};
  std::thread outside([&] {
    hold_worker_until([&] { return begun.load(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    source.request_stop();
  });
  runtime_.run([&] {
    Search<Sum> search(Sum{}, source.get_token());
    EXPECT_FALSE(search.stopped());
    begun = true;
    search_for_ever(search);
    EXPECT_TRUE(search.stopped());
    EXPECT_GE(search->count, 1);
    EXPECT_EQ(search.statistics().live, 1U);
    // From then on nothing begins.
    const std::int64_t before = search->count;
    search_for_ever(search);
    EXPECT_EQ(search->count, before);
  });
  outside.join();
}

TEST_P(SearchTest, GivenAStopThatWasRequestedBeforeWhenSearchedThenNothingBegins) {
  std::stop_source source;
  source.request_stop();
  runtime_.run([&] {
    Search<Sum> search(Sum{}, source.get_token());
    search_for_ever(search);
    const auto fail = [](Search<Sum>&) { FAIL(); };
    search.split_two(
        fail, fail, [](const Sum&) { return Sum{}; }, kTakeSum);
    EXPECT_EQ(search->count, 0);
  });
}

TEST_P(SearchOnSeveral, GivenPartsWithoutAnEndWhenTheirGiverThrowsThenTheyEndToo) {
  runtime_.run([] {
    Search<Sum> search{Sum{}};
    std::atomic<bool> part_begun{false};
    const auto body = [&part_begun](Search<Sum>& at, int i) {
      if (i == 1) {
        part_begun = true;
        search_for_ever(at);
        return;
      }
      hold_worker_until([&] { return !at.poll() || part_begun.load(); });
      throw std::runtime_error("first");
    };
    EXPECT_THROW(search.split_for(0, 2, body, kGiveSum, kTakeSum), std::runtime_error);
    EXPECT_FALSE(search.stopped());
    EXPECT_EQ(search.statistics().live, 1U);
  });
}

// --- Exceptions ----------------------------------------------------------------------------------

/// Throws at the n-th time in one place.
class ThrowOnce {
 public:
  struct Thrown : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  struct State {
    Place place;
    std::atomic<int> left;
  };

  explicit ThrowOnce(State& state) : state_(&state) {}

  void operator()(Place place) const {
    if (place == state_->place && --state_->left == 0) throw Thrown("thrown");
  }

 private:
  State* state_;
};

std::string place_name(const testing::TestParamInfo<Place>& info) {
  constexpr std::array kNames{"Do", "Body", "Undo", "Give", "Take"};
  return kNames[static_cast<std::size_t>(info.param)];
}

class SearchExceptions : public testing::TestWithParam<Place> {};

/// Lets the first, the second, the third ... call throw, until none does.
void expect_restored_after_each(Place place, int workers, std::uint64_t seed) {
  Runtime runtime({.workers = workers, .chaos_seed = seed});
  for (int turn = 1;; turn = turn + 1 + turn / 8) {
    SCOPED_TRACE(turn);
    ThrowOnce::State state{place, {turn}};
    bool thrown = false;
    runtime.run([&] {
      Search<Queens> search{Queens(5)};
      try {
        place_queens(search, 0, ThrowOnce(state));
      } catch (const ThrowOnce::Thrown&) {
        thrown = true;
      }
      EXPECT_EQ(search.statistics().live, 1U);
      EXPECT_FALSE(search.stopped());
      search->found.clear();
      EXPECT_EQ(*search, Queens(5));
      // The search can be used again.
      place_queens(search, 0);
      EXPECT_EQ(search->found.size(), kSolutions[5]);
    });
    EXPECT_EQ(thrown, state.left <= 0);
    if (!thrown || testing::Test::HasFailure()) break;
  }
}

TEST_P(SearchExceptions, GivenAPlaceThatThrowsWhenDividedUnaskedThenTheBoardIsRestoredAndAllEnd) {
  for (const std::uint64_t seed : {4U, 5U, 7U}) expect_restored_after_each(GetParam(), 1, seed);
  for (const std::uint64_t seed : {8U, 9U}) expect_restored_after_each(GetParam(), 3, seed);
}

/// A move of a depth, whose do throws when it is done again for the first time.
struct BrokenMove {
  struct Thrown {};
  static inline int dones = 0;
  static void apply(int& depth) {
    if (++dones == 2) throw Thrown();
    ++depth;
  }
  static void undo(int& depth) { --depth; }
};

TEST(SearchChaos, GivenAMoveThatCannotBeDoneAgainWhenPolledOnceMoreThenItIsNotUndoneTwice) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Runtime runtime({.workers = 1, .chaos_seed = seed});
    runtime.run([] {
      BrokenMove::dones = 0;
      Search<int> search(0);
      const auto body = [](Search<int>& at, int i) {
        if (i > 0) return;
        at.reversible(
            &BrokenMove::apply,
            [&at] {
              for (int poll = 0; poll < 9; ++poll) {
                try {
                  at.poll();
                } catch (const BrokenMove::Thrown&) {
                }
              }
              EXPECT_EQ(*at, BrokenMove::dones < 2 ? 1 : 0);
              if (BrokenMove::dones >= 2) at.poll();
            },
            &BrokenMove::undo);
      };
      const auto give = [](const int& here, int, int) { return here; };
      const auto take = [](int&, int&&) {};
      try {
        search.split_for(0, 8, body, give, take);
      } catch (const BrokenMove::Thrown&) {
      }
      EXPECT_EQ(*search, 0);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(In, SearchExceptions,
                         testing::Values(Place::kDo, Place::kBody, Place::kUndo, Place::kGive,
                                         Place::kTake),
                         place_name);

TEST_P(SearchTest, GivenBodiesThatThrowWhenDividedUnaskedThenTheSerialProgramsFirstArrives) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Runtime runtime({.workers = GetParam(), .chaos_seed = seed});
    runtime.run([] {
      Search<Sum> search{Sum{}};
      const auto body = [](Search<Sum>& at, int i) {
        ++at->count;
        if (i % 20 == 13) throw i;
      };
      int first = -1;
      try {
        search.split_for(0, 100, body, kGiveSum, kTakeSum);
      } catch (int thrown) {
        first = thrown;
      }
      EXPECT_EQ(first, 13);
      EXPECT_EQ(search.statistics().live, 1U);
    });
  }
}

// --- What is used wrongly ------------------------------------------------------------------------

template <class Body, class... Rest>
concept CanSplit = requires(Search<Sum>& search, Body body, Rest... rest) {
  search.split_for(0, 1, body, rest...);
};
template <class... Functions>
concept CanSplitTwo = requires(Search<Sum>& search, Functions... functions) {
  search.split_two(functions...);
};

using IndexBody = decltype([](Search<Sum>&, int) {});
using PlainBody = decltype([](Search<Sum>&) {});
using WorkspaceBody = decltype([](Sum&, int) {});
using GiveRange = decltype([](const Sum&, int, int) { return Sum{}; });
using GiveAll = decltype([](const Sum&) { return Sum{}; });
using GiveNumber = decltype([](const Sum&, int, int) { return 1; });
using GiveByWriting = decltype([](Sum&, int, int) { return Sum{}; });
using TakePart = decltype([](Sum&, Sum&&) {});
using TakeNothing = decltype([] {});
struct Single {
  Single() = default;
  Single(const Single&) = delete;
  void operator()(Search<Sum>&, int) const {}
};

static_assert(CanSplit<IndexBody, GiveRange, TakePart>);
static_assert(!CanSplit<IndexBody>, "nothing is given away without give and take");
static_assert(!CanSplit<IndexBody, GiveRange>, "what is given away must be taken");
static_assert(!CanSplit<IndexBody, GiveRange, TakeNothing>, "take is given the part's workspace");
static_assert(!CanSplit<IndexBody, GiveNumber, TakePart>, "give returns a workspace");
static_assert(!CanSplit<IndexBody, GiveByWriting, TakePart>, "give must not change the workspace");
static_assert(!CanSplit<PlainBody, GiveRange, TakePart>, "the body is called with an index");
static_assert(!CanSplit<WorkspaceBody, GiveRange, TakePart>,
              "the body is given the search of its part");
static_assert(!CanSplit<Single, GiveRange, TakePart>, "a part has a copy of the body");
static_assert(CanSplitTwo<PlainBody, PlainBody, GiveAll, TakePart>);
static_assert(!CanSplitTwo<PlainBody, PlainBody, GiveAll>);
static_assert(!CanSplitTwo<PlainBody, PlainBody, GiveRange, TakePart>);
static_assert(!std::copy_constructible<Search<Sum>> && !std::move_constructible<Search<Sum>>,
              "its frames point at it");

TEST(SearchMisuse, GivenAPlainOsThreadWhenASearchIsMadeThenItIsRefused) {
  EXPECT_THROW(Search<Sum>{Sum{}}, std::logic_error);
}

TEST(SearchMisuse, GivenAFunctionThatPollsWhereItMustNotWhenDividedThenItIsRefused) {
  for (const Place polling : {Place::kDo, Place::kUndo, Place::kGive, Place::kTake}) {
    Runtime runtime({.workers = 1, .chaos_seed = 4});
    runtime.run([polling] {
      Search<Queens> search{Queens(6)};
      const auto poll = [&search, polling](Place place) {
        if (place == polling && search.statistics().parts > 0) search.poll();
      };
      EXPECT_THROW(place_queens(search, 0, poll), std::logic_error);
      EXPECT_EQ(search.statistics().live, 1U);
    });
  }
}

TEST(SearchMisuse, GivenABodyThatUsesItsGiversSearchWhenItPollsThenItIsRefused) {
  Runtime runtime({.workers = 1, .chaos_seed = 4});
  runtime.run([] {
    Search<Sum> search{Sum{}};
    const auto body = [&search](Search<Sum>&, int) { search.poll(); };
    EXPECT_THROW(search.split_for(0, 8, body, kGiveSum, kTakeSum), std::logic_error);
  });
}

TEST(SearchUndisturbedDeathTest,
     GivenASearchThatIsInProgressWhenDestroyedThenTheProcessEndsAndSaysWhy) {
  // Under an emulator no other program can be started; a sanitizer's own threads do not survive a
  // fork.
  if (kSanitized) testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto destroy_within = [] {
    Runtime runtime({.workers = 1});
    runtime.run([] {
      std::optional<Search<Sum>> search(Sum{});
      search->split_for(
          0, 2, [&search](Search<Sum>&, int) { search.reset(); }, kGiveSum, kTakeSum);
    });
  };
  EXPECT_DEATH(destroy_within(), "a Search is destroyed while a split_for");
  const auto destroy_first = [] {
    Runtime runtime({.workers = 1});
    runtime.run([] {
      std::optional<Search<Sum>> outer(Sum{});
      const Search<Sum> inner{Sum{}};
      outer.reset();
    });
  };
  EXPECT_DEATH(destroy_first(), "a Search is destroyed in another thread, or before");
}

// --- The best so far -----------------------------------------------------------------------------

TEST_P(SearchTest, GivenOffersFromAllPartsWhenTheyEndThenTheBestIsKnown) {
  BestSoFar<int> least(1000);
  BestSoFar<int, std::greater<>> greatest(-1);
  runtime_.run([&] {
    parallel_for(0, 500, [&](int i) {
      const int value = 7 + (i * 37) % 500;
      least.offer(value);
      greatest.offer(value);
      EXPECT_LE(least.value(), value);
      EXPECT_FALSE(least.would_improve(value));
    });
  });
  EXPECT_EQ(least.value(), 7);
  EXPECT_EQ(greatest.value(), 506);
  EXPECT_FALSE(least.offer(7));
  EXPECT_FALSE(least.offer(8));
  EXPECT_TRUE(least.would_improve(6));
  EXPECT_TRUE(least.offer(6));
}

}  // namespace
}  // namespace kumiko::runtime::test
