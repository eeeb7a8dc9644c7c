// Sudoku: reads puzzles from a file, one a line of 81 characters, digits and dots, and solves each.
// A puzzle should have one solution: the search stops where it has found a second one.
//
//     build/release/bin/example_search_sudoku FILE [workers]
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/search.hpp>

#include "sudoku_grid.hpp"

namespace rt = kumiko::runtime;

namespace {

using Grid = examples::SudokuGrid;

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
    if (!examples::read_sudoku(puzzle, grid)) {
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
