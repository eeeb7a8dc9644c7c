// The grid of a Sudoku: which digits it has, and which ones each row, column and box has.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <vector>

namespace examples {

struct SudokuGrid {
  std::string digits = std::string(81, '.');
  std::array<unsigned, 9> rows{}, columns{}, boxes{};  ///< which digits each has, as bits
  std::vector<std::string> solutions;

  static std::size_t box(std::size_t field) { return field / 27 * 3 + field % 9 / 3; }
  unsigned taken(std::size_t field) const {
    return rows[field / 9] | columns[field % 9] | boxes[box(field)];
  }
  void flip(std::size_t field, int digit) {
    const unsigned bit = 1U << digit;
    rows[field / 9] ^= bit;
    columns[field % 9] ^= bit;
    boxes[box(field)] ^= bit;
    digits[field] = digits[field] == '.' ? static_cast<char>('0' + digit) : '.';
  }
  /// The empty field with the fewest digits that fit; 81 if no field is empty.
  std::size_t narrowest() const {
    std::size_t best = 81;
    int most = -1;
    for (std::size_t field = 0; field < 81; ++field) {
      if (digits[field] != '.' || std::popcount(taken(field)) <= most) continue;
      best = field;
      most = std::popcount(taken(field));
    }
    return best;
  }
};

/// Enters the digits of a puzzle. Returns false if it is none, or its digits contradict each other.
inline bool read_sudoku(const std::string& puzzle, SudokuGrid& grid) {
  if (puzzle.size() != 81) return false;
  for (std::size_t field = 0; field < 81; ++field) {
    if (puzzle[field] == '.') continue;
    const int digit = puzzle[field] - '0';
    if (digit < 1 || digit > 9 || (grid.taken(field) >> digit & 1U) != 0) return false;
    grid.flip(field, digit);
  }
  return true;
}

}  // namespace examples
