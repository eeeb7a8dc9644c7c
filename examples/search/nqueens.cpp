// Queens on a board of n by n fields of which none attacks another: how many ways are there?
//
// One board, on which queens are placed and removed, is all that the search works on. A part that
// is given away has a copy of it.
//
//     build/release/bin/example_search_nqueens [n] [workers] [rounds]
#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "program.hpp"

namespace {

constexpr int kMost = 17;
constexpr std::array<long, kMost + 1> kWays{1,     1,     0,      0,       2,        10,
                                            4,     40,    92,     352,     724,      2680,
                                            14200, 73712, 365596, 2279184, 14772512, 95815104};

class Board {
 public:
  explicit Board(int rows) : size(rows) { std::iota(columns_.begin(), columns_.end(), 0); }

  bool is_free(int row, int i) const {
    return !rising_[sum(row, columns_[at(i)])] && !falling_[difference(row, columns_[at(i)])];
  }
  void place(int row, int i) {
    std::swap(columns_[at(row)], columns_[at(i)]);
    mark(row, true);
  }
  void remove(int row, int i) {
    mark(row, false);
    std::swap(columns_[at(row)], columns_[at(i)]);
  }

  int size;
  long ways = 0;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static std::size_t sum(int row, int column) { return at(row + column); }
  std::size_t difference(int row, int column) const { return at(size - 1 - column + row); }
  void mark(int row, bool taken) {
    rising_[sum(row, columns_[at(row)])] = taken;
    falling_[difference(row, columns_[at(row)])] = taken;
  }

  std::array<int, kMost> columns_;  ///< of the queens, then those that have none yet
  std::array<bool, 2 * kMost> rising_{};
  std::array<bool, 2 * kMost> falling_{};
};

constexpr auto kGive = [](const Board& here, int, int) {
  Board part = here;
  part.ways = 0;
  return part;
};
constexpr auto kTake = [](Board& here, Board&& part) { here.ways += part.ways; };

void place_from(auto& search, int row) {
  const auto try_column = [row](auto& at, int i) {
    if (!at->is_free(row, i)) return;
    if (row == at->size - 1) {
      ++at->ways;
      return;
    }
    at.reversible([=](Board& board) { board.place(row, i); }, [&] { place_from(at, row + 1); },
                  [=](Board& board) { board.remove(row, i); });
  };
  search.split_for(row, search->size, try_column, kGive, kTake);
}

}  // namespace

int main(int argc, char** argv) {
  const examples::Number size{.name = "n", .least = 1, .most = kMost, .fallback = 9};
  return examples::search_program(
      argc, argv, size, [](int n) { return Board(n); },
      [](auto& search, int) { place_from(search, 0); },
      [](int n, const Board& board) -> std::string {
        if (board.ways == kWays[static_cast<std::size_t>(n)]) return {};
        return std::to_string(board.ways) + " ways are wrong";
      });
}
