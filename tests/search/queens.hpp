// Placements of queens on a board, all of which a search shared by processes finds in order.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/search/search.hpp>

namespace kumiko::search {
namespace queens {

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

/// Does nothing at a placement.
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

inline void find_serially(Board& board, int row) {
  if (row == board.size) return board.found.push_back(board.columns);
  for (int i = row; i < board.size; ++i) {
    if (!board.is_free(row, i)) continue;
    board.place(row, i);
    find_serially(board, row + 1);
    board.remove(row, i);
  }
}

inline const std::vector<Placement>& serial(int size) {
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

}  // namespace kumiko::search

template <>
struct kumiko::cluster::Packing<kumiko::search::queens::Board> {
  using Board = kumiko::search::queens::Board;
  using Placement = kumiko::search::queens::Placement;

  static void pack(Writer& writer, Board& board) {
    Packing<int>::pack(writer, board.size);
    Packing<Placement>::pack(writer, board.columns);
    Packing<decltype(board.rising)>::pack(writer, board.rising);
    Packing<decltype(board.falling)>::pack(writer, board.falling);
    Packing<std::vector<Placement>>::pack(writer, board.found);
  }
  static Board unpack(Reader& reader) {
    Board board(Packing<int>::unpack(reader));
    board.columns = Packing<Placement>::unpack(reader);
    board.rising = Packing<decltype(board.rising)>::unpack(reader);
    board.falling = Packing<decltype(board.falling)>::unpack(reader);
    board.found = Packing<std::vector<Placement>>::unpack(reader);
    return board;
  }
};

namespace kumiko::search::queens {

/// Slow enough for others to ask meanwhile, even on a loaded machine.
struct Slowly {
  void operator()(Search<Board>&, int row) const {
    if (row == 2) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
};

inline void expect_all(Search<Board>& search) {
  EXPECT_EQ(search->found, serial(search->size));
  search->found.clear();
  const Board begin(search->size);
  EXPECT_EQ(search->columns, begin.columns);
  EXPECT_EQ(search->rising, begin.rising);
  EXPECT_EQ(search->falling, begin.falling);
}

}  // namespace kumiko::search::queens
