// Sudoku: reads puzzles from a file, one a line of 81 characters, digits and dots, and solves each.
// A puzzle should have one solution: the search stops where it has found a second one.
//
//     build/release/bin/example_search_sudoku FILE [workers]
#include <array>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/search.hpp>

namespace rt = kumiko::runtime;

namespace {

struct Grid {
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

const auto kGive = [](const Grid& here, int, int) {
  Grid part = here;
  part.solutions.clear();
  return part;
};
const auto kTake = [](Grid& here, Grid&& part) {
  for (std::string& solution : part.solutions) here.solutions.push_back(std::move(solution));
};

void solve(rt::Search<Grid>& search, std::atomic<int>& found) {
  const std::size_t field = search->narrowest();
  if (field == 81) {
    search->solutions.push_back(search->digits);
    if (++found == 2) search.stop();
    return;
  }
  const auto try_digit = [field, &found](rt::Search<Grid>& at, int digit) {
    if ((at->taken(field) >> digit & 1U) != 0) return;
    at.reversible([=](Grid& grid) { grid.flip(field, digit); }, [&] { solve(at, found); },
                  [=](Grid& grid) { grid.flip(field, digit); });
  };
  search.split_for(1, 10, try_digit, kGive, kTake);
}

/// The grid of a puzzle; without solutions, and full of dots, if it contradicts itself.
bool read(const std::string& puzzle, Grid& grid) {
  if (puzzle.size() != 81) return false;
  for (std::size_t field = 0; field < 81; ++field) {
    if (puzzle[field] == '.') continue;
    const int digit = puzzle[field] - '0';
    if (digit < 1 || digit > 9 || (grid.taken(field) >> digit & 1U) != 0) return false;
    grid.flip(field, digit);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  if (!file) {
    std::fprintf(stderr, "error: cannot read '%s'; usage: %s FILE [workers]\n",
                 argc > 1 ? argv[1] : "", argv[0]);
    return 2;
  }
  rt::Runtime runtime({.workers = argc > 2 ? std::atoi(argv[2]) : 0});
  std::string puzzle;
  for (int line = 1; std::getline(file, puzzle); ++line) {
    Grid grid;
    if (!read(puzzle, grid)) {
      std::fprintf(stderr, "error: line %d is not 81 digits and dots that go together\n", line);
      return 1;
    }
    std::atomic<int> found{0};
    runtime.run([&] {
      rt::Search<Grid> search(grid);
      solve(search, found);
      grid.solutions = search->solutions;
    });
    const bool unique = grid.solutions.size() == 1;
    std::printf("%s%s\n", grid.solutions.empty() ? "no solution" : grid.solutions[0].c_str(),
                unique || grid.solutions.empty() ? "" : " and others");
  }
}
