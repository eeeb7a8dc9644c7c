// Contract of SearchJournal: a search that is kept in a file finds what the serial program finds,
// in its order, whoever helps; when it ends before it is done, or its file is cut off or damaged
// anywhere, the next one does what is missing, and nothing else; a file that is not its own is
// refused and left as it is.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <kumiko/cluster/detail/function.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/search/search_journal.hpp>
#include <kumiko/search/search_tree.hpp>

#include "cluster/support.hpp"
#include "helper.hpp"
#include "journal/journal_file.hpp"
#include "queens.hpp"

namespace kumiko::search::queens {
namespace {

using namespace std::chrono_literals;

/// How many queens were placed in the fifth row, which no division in advance comes to.
std::atomic<std::uint64_t> fifth_queens = 0;

struct Counted {
  void operator()(Search<Board>&, int row) const noexcept {
    if (row == 4) ++fifth_queens;
  }
};

struct CountedSlowly {
  void operator()(Search<Board>& at, int row) const {
    Counted()(at, row);
    if (row == 2) std::this_thread::sleep_for(200us);
  }
};

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void put_contents(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string why_refused(const std::function<void()>& action) {
  try {
    action();
  } catch (const JournalError& error) {
    return error.what();
  }
  return "";
}

/// A process that searches, and what its journal has done.
struct JournalProcess {
  explicit JournalProcess(int workers = 1) : runtime({.workers = workers}) {}

  /// \return what was done; nothing where it was stopped
  template <class Each = Counted>
  SearchJournalStatistics search(const std::filesystem::path& file, int size,
                                 std::stop_token stop = {}, unsigned divisions = 6) {
    SearchJournalStatistics done;
    runtime.run([&] {
      SearchJournal journal(tree.outside(), file, "queens " + std::to_string(size),
                            {.divisions = divisions, .write_every = 1ms});
      Search<Board> search(Board(size), journal.outside(), std::move(stop));
      place_from(search, 0, Each());
      if (search.stopped()) {
        search->found.clear();
      } else {
        expect_all(search);
        journal.finish();
      }
      done = journal.statistics();
    });
    return done;
  }

  runtime::Runtime runtime;
  SearchTree tree{runtime, tree_options()};
};

class SearchJournalTest : public testing::Test {
 protected:
  ~SearchJournalTest() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path& file() const { return file_; }

 private:
  static std::filesystem::path make_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "journal-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder");
    return name;
  }

  const std::filesystem::path folder_ = make_folder();
  const std::filesystem::path file_ = folder_ / "queens.journal";
};

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

/// Where the records of a file end, of which all are whole.
std::vector<std::size_t> ends_of_records(const std::string& bytes, std::size_t begin) {
  std::vector<std::size_t> ends{begin};
  while (ends.back() < bytes.size()) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + ends.back() + 16, sizeof size);
    ends.push_back(ends.back() + 40 + size);
  }
  EXPECT_EQ(ends.back(), bytes.size());
  return ends;
}
/// Of a head with seven to eight letters in it.
std::size_t size_of_head(const std::string& what) { return 16 + 8 + 4 + 4 + what.size() + 16; }

TEST_F(SearchJournalTest, GivenAFileThatEndsAnywhereThenWhatItHasIsNotDoneAgain) {
  const auto whole = JournalProcess().search(file(), 7);
  const std::string bytes = contents(file());
  const auto ends = ends_of_records(bytes, size_of_head("queens 7"));
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    const std::size_t length = random() % bytes.size();
    put_contents(file(), bytes.substr(0, length));
    if (length < ends.front()) {
      // As a crash leaves it while the file is made.
      EXPECT_EQ(JournalProcess().search(file(), 7).done, whole.parts);
      continue;
    }
    const auto kept = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), length) -
                                               ends.begin() - 1);
    const auto rest = JournalProcess().search(file(), 7);
    EXPECT_EQ(rest.on_file, kept);
    EXPECT_EQ(rest.found, kept);
    EXPECT_EQ(rest.done, whole.parts - kept);
    EXPECT_EQ(JournalProcess().search(file(), 7).done, 0U);
  }
}

TEST_F(SearchJournalTest, GivenADamagedByteThenItsPartIsDoneAgainAndTheDamageIsTold) {
  const auto whole = JournalProcess().search(file(), 7);
  const std::string bytes = contents(file());
  const auto ends = ends_of_records(bytes, size_of_head("queens 7"));
  for (const std::size_t at : {ends[3], ends[3] + 30, ends[4] - 1}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    put_contents(file(), damaged);
    std::string told;
    runtime::Runtime runtime({.workers = 1});
    SearchTree tree(runtime, tree_options());
    {
      const SearchJournal journal(tree.outside(), file(), "queens 7",
                                  {.told = [&](const std::string& line) { told = line; }});
      EXPECT_EQ(journal.statistics().on_file, whole.parts - 1);
    }
    EXPECT_NE(told.find(" bytes are damaged"), std::string::npos) << told;
    EXPECT_EQ(JournalProcess().search(file(), 7).done, 1U);
  }
}

/// The bytes with one bit flipped.
std::string flipped(std::string bytes, std::size_t at, unsigned bit) {
  bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << bit));
  return bytes;
}

TEST_F(SearchJournalTest, GivenADamagedLengthThenItsPartIsDoneAgainAndNoOther) {
  JournalProcess().search(file(), 7);
  const std::string bytes = contents(file());
  const auto ends = ends_of_records(bytes, size_of_head("queens 7"));
  for (const std::size_t record : {std::size_t{0}, std::size_t{5}}) {
    for (const unsigned bit : {0U, 3U, 11U, 63U}) {
      put_contents(file(), flipped(bytes, ends[record] + 16 + bit / 8, bit % 8));
      EXPECT_EQ(JournalProcess().search(file(), 7).done, 1U) << record << ' ' << bit;
      EXPECT_EQ(JournalProcess().search(file(), 7).done, 0U) << record << ' ' << bit;
    }
  }
}

TEST_F(SearchJournalTest, GivenABeginningThatWasNotWrittenToItsEndThenAnyDivisionsMayGoOn) {
  { const detail::JournalFile made(file(), {cluster::program_id(), "queens 7", 12}); }
  const std::string head = contents(file());
  for (const std::size_t size : {std::size_t{0}, std::size_t{20}, head.size() - 1}) {
    put_contents(file(), head.substr(0, size));
    EXPECT_EQ(JournalProcess().search(file(), 7).on_file, 0U) << size;
    EXPECT_GT(contents(file()).size(), head.size());
  }
}

TEST_F(SearchJournalTest, GivenADamagedByteOfTheBeginningThenNothingIsLostAndItIsMended) {
  const auto whole = JournalProcess().search(file(), 7);
  const std::string bytes = contents(file());
  for (std::size_t at = 0; at < size_of_head("queens 7"); ++at) {
    put_contents(file(), flipped(bytes, at, at % 8));
    std::string told;
    runtime::Runtime runtime({.workers = 1});
    SearchTree tree(runtime, tree_options());
    const SearchJournal journal(tree.outside(), file(), "queens 7",
                                {.told = [&](const std::string& line) { told = line; }});
    EXPECT_EQ(journal.statistics().on_file, whole.parts) << at;
    EXPECT_NE(told.find("1 bytes of its beginning were damaged"), std::string::npos) << told;
    EXPECT_EQ(contents(file()), bytes) << at;
  }
}

TEST_F(SearchJournalTest, GivenMoreDivisionsThanMayBeThenTheFileIsRefused) {
  { const detail::JournalFile other(file(), {cluster::program_id(), "queens 7", 40}); }
  EXPECT_NE(why_refused([&] {
              JournalProcess().search(file(), 7);
            }).find("it asks for 40 divisions, and at most 16 are possible; name another"),
            std::string::npos);
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

TEST_F(SearchJournalTest, GivenAnotherSearchsFileThenItIsRefusedAndStaysAsItIs) {
  JournalProcess root;
  root.search(file(), 7);
  const std::string bytes = contents(file());
  const auto why = [&] { return why_refused([&] { root.search(file(), 8); }); };
  EXPECT_NE(why().find("it belongs to 'queens 7', not to 'queens 8'; name another"),
            std::string::npos);
  EXPECT_EQ(contents(file()), bytes);
  put_contents(file(), "a text that somebody else has written");
  EXPECT_NE(why().find("is not the journal of a search"), std::string::npos);
  EXPECT_EQ(contents(file()), "a text that somebody else has written");
  std::filesystem::remove(file());
  { const detail::JournalFile other(file(), {1, "queens 8", 6}); }
  EXPECT_NE(why().find("another build"), std::string::npos);
}

TEST_F(SearchJournalTest, GivenAFileThatCannotBeUsedThenItIsRefusedWithTheRemedy) {
  JournalProcess root;
  EXPECT_NE(why_refused([&] {
              root.search(file() / "in" / "none", 7);
            }).find("in a folder that you may write to"),
            std::string::npos);
  const SearchJournal user(root.tree.outside(), file(), "queens 7");
  EXPECT_NE(why_refused([&] { root.search(file(), 7); }).find("another process uses it"),
            std::string::npos);
  for (const unsigned divisions : {0U, 17U}) {
    EXPECT_THROW(SearchJournal(root.tree.outside(), file(), "", {.divisions = divisions}),
                 std::invalid_argument);
  }
}

TEST_F(SearchJournalTest, GivenADiskThatIsFullForAWhileThenItIsToldAndNothingIsLost) {
  JournalProcess root;
  const auto whole = root.search(file(), 7);
  std::filesystem::remove(file());
  std::vector<std::string> told;
  std::atomic<bool> is_told = false;
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  {
    SearchJournal journal(
        root.tree.outside(), file(), "queens 7",
        {.divisions = 6, .write_every = 1ms, .told = [&](const std::string& line) {
           told.push_back(line);
           is_told = true;
         }});
    const rlimit full{std::filesystem::file_size(file()) + 10, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
    root.runtime.run([&] {
      Search<Board> search(Board(7), journal.outside());
      place_from(search, 0, Counted());
      expect_all(search);
    });
    while (!is_told) std::this_thread::sleep_for(1ms);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  }
  ASSERT_EQ(told.size(), 2U);
  EXPECT_NE(told[0].find("cannot be written: File too large"), std::string::npos) << told[0];
  EXPECT_NE(told[1].find("can be written again"), std::string::npos) << told[1];
  EXPECT_EQ(root.search(file(), 7).found, whole.parts);
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
