// Contract of a SearchJournal's file: if it is cut off or damaged anywhere, only the parts whose
// results are missing are done again. A file of another search is refused and stays unchanged.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <kumiko/cluster/program.hpp>

#include "journal/journal_file.hpp"
#include "journal_case.hpp"

namespace kumiko::search::queens {
namespace {

/// The ends of the entries of a file without damage.
std::vector<std::size_t> ends_of_entries(const std::string& bytes, std::size_t begin) {
  std::vector<std::size_t> ends{begin};
  while (ends.back() < bytes.size()) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + ends.back() + 16, sizeof size);
    ends.push_back(ends.back() + 40 + size);
  }
  EXPECT_EQ(ends.back(), bytes.size());
  return ends;
}
/// The size of a head with this description.
std::size_t size_of_head(const std::string& what) { return 16 + 8 + 4 + 4 + what.size() + 16; }

TEST_F(SearchJournalTest, GivenAFileThatEndsAnywhereThenWhatItHasIsNotDoneAgain) {
  const auto whole = JournalProcess().search(file(), 7);
  const std::string bytes = contents(file());
  const auto ends = ends_of_entries(bytes, size_of_head("queens 7"));
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    const std::size_t length = random() % bytes.size();
    put_contents(file(), bytes.substr(0, length));
    if (length < ends.front()) {
      // Like a file whose creation a crash has interrupted.
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
  const auto ends = ends_of_entries(bytes, size_of_head("queens 7"));
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
  const auto ends = ends_of_entries(bytes, size_of_head("queens 7"));
  for (const std::size_t entry : {std::size_t{0}, std::size_t{5}}) {
    for (const unsigned bit : {0U, 3U, 11U, 63U}) {
      put_contents(file(), flipped(bytes, ends[entry] + 16 + bit / 8, bit % 8));
      EXPECT_EQ(JournalProcess().search(file(), 7).done, 1U) << entry << ' ' << bit;
      EXPECT_EQ(JournalProcess().search(file(), 7).done, 0U) << entry << ' ' << bit;
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

}  // namespace
}  // namespace kumiko::search::queens
