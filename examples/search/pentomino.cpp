// Pentominoes: in how many ways do n of them fill the first 5 n fields of a board that is six wide?
// Above twelve pieces the first one comes again, and copies count as different.
//
//     build/release/bin/example_search_pentomino [n] [workers] [rounds]
#include <cstddef>
#include <string>

#include "problems/pentomino_search.hpp"
#include "program.hpp"

namespace {

using Board = examples::PiecesBoard;

}  // namespace

int main(int argc, char** argv) {
  const examples::Number size{
      .name = "n", .least = 10, .most = examples::kMostPieces, .fallback = 10};
  return examples::search_program(
      argc, argv, size, [](int n) { return Board(n); },
      [](auto& search, int) { examples::fill_from(search, 0, 0); },
      examples::Answer{"ways", [](const Board& board) { return board.ways; }},
      [](int n, const Board& board) -> std::string {
        if (board.ways == examples::kWaysToFill[static_cast<std::size_t>(n)]) return {};
        return std::to_string(board.ways) + " ways are wrong";
      });
}
