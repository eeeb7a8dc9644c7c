// Searches with a journal, for tests: a process, its file, and helpers for files.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

#include <kumiko/runtime/runtime.hpp>
#include <kumiko/search/search_journal.hpp>
#include <kumiko/search/search_tree.hpp>

#include "helper.hpp"
#include "queens.hpp"

namespace kumiko::search::queens {

using namespace std::chrono_literals;

/// The number of queens placed in the fifth row, which no division in advance reaches.
inline std::atomic<std::uint64_t> fifth_queens = 0;

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

inline std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void put_contents(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

inline std::string why_refused(const std::function<void()>& action) {
  try {
    action();
  } catch (const JournalError& error) {
    return error.what();
  }
  return "";
}

/// A process that searches with a journal.
struct JournalProcess {
  explicit JournalProcess(int workers = 1) : runtime({.workers = workers}) {}

  /// Searches all placements and checks them, unless `stop` stops it.
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

}  // namespace kumiko::search::queens
