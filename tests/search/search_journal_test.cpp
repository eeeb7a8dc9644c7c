// Contract of SearchJournal: a search that is kept in a file finds the same as the serial program,
// in the same order, whichever processes help. If it ends early, the next search does the missing
// parts only.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cluster/support.hpp"
#include "journal_case.hpp"

namespace kumiko::search::queens {
namespace {

class KeptWithHelpers : public SearchJournalTest, public testing::WithParamInterface<int> {};

TEST_P(KeptWithHelpers, GivenNoFileThenAllIsFoundAndKeptAndNothingIsDoneAgain) {
  JournalProcess root;
  const auto address = root.tree.listen(runtime::io::Address::loopback());
  std::vector<std::unique_ptr<Helper>> helpers;
  for (int i = 0; i < GetParam(); ++i) helpers.push_back(std::make_unique<Helper>(address));
  SearchJournalStatistics first;
  do {  // helpers may come late
    std::filesystem::remove(file());
    first = root.search<CountedSlowly>(file(), 8);
  } while (GetParam() > 0 && root.tree.statistics().given == 0);
  EXPECT_GT(first.parts, 32U);
  EXPECT_EQ(first.found, 0U);
  EXPECT_EQ(first.done, first.parts);

  fifth_queens = 0;
  const auto second = JournalProcess(3).search<CountedSlowly>(file(), 8);
  EXPECT_EQ(second.on_file, first.parts);
  EXPECT_EQ(second.parts, first.parts);
  EXPECT_EQ(second.found, first.parts);
  EXPECT_EQ(second.done, 0U);
  EXPECT_EQ(fifth_queens, 0U);
}
INSTANTIATE_TEST_SUITE_P(Helpers, KeptWithHelpers, testing::Values(0, 1, 3));

TEST_F(SearchJournalTest, GivenOtherNumbersOfWorkersAndDivisionsThenTheFilesCountStands) {
  const auto first = JournalProcess(3).search(file(), 8, {}, 5);
  const auto second = JournalProcess(1).search(file(), 8, {}, 9);
  EXPECT_EQ(second.found, first.parts);
  EXPECT_EQ(second.done, 0U);
}

class Interrupted : public SearchJournalTest, public testing::WithParamInterface<unsigned> {};

TEST_P(Interrupted, GivenProcessesThatAreStoppedAnyTimeThenTheLastFindsAllAndPartsAreDoneOnce) {
  std::mt19937 random(GetParam());
  std::uint64_t done = 0;
  std::optional<std::uint64_t> parts;
  for (int i = 0; !parts; ++i) {
    JournalProcess root(1 + static_cast<int>(random() % 2));
    const auto address = root.tree.listen(runtime::io::Address::loopback());
    const std::unique_ptr<Helper> helper(random() % 2 == 0 ? new Helper(address) : nullptr);
    std::stop_source stop;
    const std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000 + 2000));
      if (i < 20) stop.request_stop();
    });
    const auto here = root.search<CountedSlowly>(file(), 8, stop.get_token());
    EXPECT_EQ(here.on_file, done);
    done += here.done;
    if (SearchJournal(root.tree.outside(), file(), "queens 8").was_finished()) parts = here.parts;
  }
  EXPECT_EQ(done, *parts);
}
INSTANTIATE_TEST_SUITE_P(Seeds, Interrupted, testing::Range(1U, 5U));
INSTANTIATE_TEST_SUITE_P(SoakInterrupted, Interrupted, testing::Range(5U, 105U));

TEST_F(SearchJournalTest, GivenAFinishedSearchThenItsFileSaysSo) {
  JournalProcess root;
  EXPECT_FALSE(SearchJournal(root.tree.outside(), file(), "queens 7").was_finished());
  root.search(file(), 7);
  EXPECT_TRUE(SearchJournal(root.tree.outside(), file(), "queens 7").was_finished());
}

/// Counts the leaves of Fibonacci's tree.
template <class At>
void count_leaves(At& search, int depth) {
  if (depth <= 0) {
    ++search->leaves;
    return;
  }
  const auto first = [depth](At& at) { count_leaves(at, depth - 1); };
  const auto second = [depth](At& at) { count_leaves(at, depth - 2); };
  const auto give = [](const auto& here) {
    auto part = here;
    part.leaves = 0;
    return part;
  };
  const auto take = [](auto& here, auto&& part) { here.leaves += part.leaves; };
  const auto guard = [depth]() noexcept { return depth > 2; };
  search.split_two(first, second, give, take, guard);
}

struct Leaves {
  long leaves = 0;
};

long leaves_serially(int depth) {
  return depth <= 0 ? 1 : leaves_serially(depth - 1) + leaves_serially(depth - 2);
}

TEST_F(SearchJournalTest, GivenPairsThenBothSidesAreDividedAndKept) {
  JournalProcess root(2);
  SearchJournalStatistics first;
  for (int i = 0; i < 2; ++i) {
    root.runtime.run([&] {
      SearchJournal journal(root.tree.outside(), file(), "leaves", {.divisions = 4});
      Search<Leaves> search(Leaves(), journal.outside());
      // One after the other: what the first has been divided into does not count for the second.
      count_leaves(search, 18);
      count_leaves(search, 18);
      EXPECT_EQ(search->leaves, 2 * leaves_serially(18));
      const auto done = journal.statistics();
      if (i == 0) {
        first = done;
        EXPECT_GT(done.parts, 2 * 16U);
        EXPECT_EQ(done.done, done.parts);
      } else {
        EXPECT_EQ(done.parts, first.parts);
        EXPECT_EQ(done.found, first.parts);
      }
    });
  }
}

/// Numbers in the order in which they were found.
struct Numbers {
  int count = 0;
  std::array<int, 64> found{};

  friend bool operator==(const Numbers&, const Numbers&) = default;
};

/// Keeps a loop that finds the numbers in [first, last).
template <class Guard>
SearchJournalStatistics keep_numbers(const std::filesystem::path& file, int first, int last,
                                     Guard guard) {
  JournalProcess root(2);
  SearchJournalStatistics done;
  root.runtime.run([&] {
    SearchJournal journal(root.tree.outside(), file, "numbers", {.divisions = 3});
    Search<Numbers> search(Numbers(), journal.outside());
    const auto body = [](Search<Numbers>& at, int i) {
      at.poll();
      at->found.at(static_cast<std::size_t>(at->count++)) = i;
    };
    const auto give = [](const Numbers&, int, int) { return Numbers(); };
    const auto take = [](Numbers& here, Numbers&& part) {
      for (int i = 0; i < part.count; ++i) {
        here.found.at(static_cast<std::size_t>(here.count++)) =
            part.found[static_cast<std::size_t>(i)];
      }
    };
    search.split_for(first, last, body, give, take, guard);
    Numbers all;
    for (int i = first; i < last; ++i) all.found[static_cast<std::size_t>(all.count++)] = i;
    EXPECT_EQ(*search, all);
    done = journal.statistics();
  });
  return done;
}

TEST_F(SearchJournalTest, GivenLoopsThenTheyAreCutAsGuardsAllow) {
  const auto parts = [&](int first, int last, auto guard) {
    std::filesystem::remove(file());
    const auto done = keep_numbers(file(), first, last, guard);
    EXPECT_EQ(done.done, done.parts);
    EXPECT_EQ(keep_numbers(file(), first, last, guard).found, done.parts);
    return done.parts;
  };
  EXPECT_EQ(parts(-20, 40, runtime::AnySize()), 8U);
  EXPECT_EQ(parts(0, 8, runtime::AnySize()), 8U);
  // Single indices are divided within, where there is nothing.
  EXPECT_EQ(parts(0, 4, runtime::AnySize()), 0U);
  EXPECT_EQ(parts(0, 64, [](int a, int b) noexcept { return b - a >= 32; }), 2U);
  EXPECT_EQ(parts(0, 64, [](int a, int b) noexcept { return b - a >= 64; }), 1U);
  EXPECT_EQ(parts(0, 64, [](int, int) noexcept { return false; }), 0U);
}

TEST_F(SearchJournalTest, GivenAPartThatThrowsThenWhatWasDoneBeforeIsKept) {
  JournalProcess root;
  for (const bool throws : {true, false}) {
    root.runtime.run([&] {
      SearchJournal journal(root.tree.outside(), file(), "queens 8", {.divisions = 6});
      Search<Board> search(Board(8), journal.outside());
      const auto each = [throws](Search<Board>& at, int row) {
        Slowly()(at, row);
        if (throws && row == 4 && at->columns[0] == 5) throw std::runtime_error("too deep");
      };
      if (throws) {
        EXPECT_THROW(place_from(search, 0, each), PartError);
        EXPECT_GT(journal.statistics().done, 0U);
        EXPECT_LT(journal.statistics().done, journal.statistics().parts);
      } else {
        place_from(search, 0, each);
        expect_all(search);
        EXPECT_EQ(journal.statistics().done + journal.statistics().found,
                  journal.statistics().parts);
      }
    });
  }
}

TEST_F(SearchJournalTest, GivenRanksThenTheyDoWhatIsKept) {
  for (const int count : {3, 1}) {
    cluster::Ranks ranks({.ranks = count, .workers = 1});
    ranks.run([&](cluster::Cluster& cluster) {
      PartExchange exchange(cluster);
      if (cluster.rank() == 0) {
        do {  // the others may come late
          if (count > 1) std::filesystem::remove(file());
          SearchJournal journal(exchange.outside(), file(), "queens 8", {.divisions = 6});
          Search<Board> search(Board(8), journal.outside());
          place_from(search, 0, Slowly());
          expect_all(search);
          const auto done = journal.statistics();
          EXPECT_EQ(done.found, count == 1 ? done.parts : 0U);
        } while (count > 1 && exchange.statistics().given == 0);
      }
      exchange.leave();
    });
  }
}

}  // namespace
}  // namespace kumiko::search::queens
