// Queens on a board of n by n fields of which none attacks another: how many ways are there?
//
// One board, on which queens are placed and removed, is all that the search works on. A part that
// is given away has a copy of it.
//
//     build/release/bin/example_search_nqueens [n] [workers] [rounds]
#include <cstddef>
#include <string>

#include "nqueens_board.hpp"
#include "program.hpp"

namespace {

using Board = examples::QueensBoard;

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
  search.template split_for<kumiko::runtime::Polls::kAtBegin>(row, search->size, try_column, kGive,
                                                              kTake);
}

}  // namespace

int main(int argc, char** argv) {
  const examples::Number size{
      .name = "n", .least = 1, .most = examples::kMostQueens, .fallback = 9};
  return examples::search_program(
      argc, argv, size, [](int n) { return Board(n); },
      [](auto& search, int) { place_from(search, 0); },
      [](int n, const Board& board) -> std::string {
        if (board.ways == examples::kWaysToPlace[static_cast<std::size_t>(n)]) return {};
        return std::to_string(board.ways) + " ways are wrong";
      });
}
