// The board of the n queens: what is attacked, and which columns have a queen.
#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

namespace examples {

inline constexpr int kMostQueens = 17;
inline constexpr std::array<long, kMostQueens + 1> kWaysToPlace{
    1,   1,   0,    0,     2,     10,     4,       40,       92,
    352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104};

class QueensBoard {
 public:
  explicit QueensBoard(int rows) : size(rows) { std::iota(columns_.begin(), columns_.end(), 0); }

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

  std::array<int, kMostQueens> columns_;  ///< of the queens, then those that have none yet
  std::array<bool, 2 * kMostQueens> rising_{};
  std::array<bool, 2 * kMostQueens> falling_{};
};

}  // namespace examples
