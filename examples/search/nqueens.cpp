// Queens on a board of n by n fields of which none attacks another: how many ways are there?
//
//     build/release/bin/example_search_nqueens [n] [workers] [rounds]
#include <cstddef>
#include <string>

#include "problems/nqueens_search.hpp"
#include "program.hpp"

namespace {

using Board = examples::QueensBoard;

}  // namespace

int main(int argc, char** argv) {
  const examples::Number size{
      .name = "n", .least = 1, .most = examples::kMostQueens, .fallback = 9};
  return examples::search_program(
      argc, argv, size, [](int n) { return Board(n); },
      [](auto& search, int) { examples::place_from(search, 0); },
      examples::Answer{"ways", [](const Board& board) { return board.ways; }},
      [](int n, const Board& board) -> std::string {
        if (board.ways == examples::kWaysToPlace[static_cast<std::size_t>(n)]) return {};
        return std::to_string(board.ways) + " ways are wrong";
      });
}
