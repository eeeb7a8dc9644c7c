// Pentominoes: in how many ways do n of them fill the first 5 n fields of a board that is six wide?
// Above twelve pieces the first one comes again, and copies count as different.
//
//     build/release/bin/example_search_pentomino [n] [workers] [rounds]
#include <cstddef>
#include <string>
#include <utility>

#include "pentomino_board.hpp"
#include "program.hpp"

namespace {

using Board = examples::PiecesBoard;
using examples::Shape;

constexpr auto kGive = [](const Board& here, int, int) {
  Board part = here;
  part.ways = 0;
  return part;
};
constexpr auto kTake = [](Board& here, Board&& part) { here.ways += part.ways; };

void fill_from(auto& search, int field, int lie) {
  const auto try_piece = [=](auto& at, int piece) {
    for (const Shape& shape : examples::kPieces[Board::at(at->order[Board::at(piece)])]) {
      if (!at->fits(field, shape)) continue;
      at.reversible(
          [=, &shape](Board& board) {
            board.put(field, shape, true);
            std::swap(board.order[Board::at(lie)], board.order[Board::at(piece)]);
          },
          [&] {
            const int next = at->next(field);
            if (lie + 1 == at->pieces) {
              ++at->ways;
            } else if (!at->is_hole(next)) {
              fill_from(at, next, lie + 1);
            }
          },
          [=, &shape](Board& board) {
            std::swap(board.order[Board::at(lie)], board.order[Board::at(piece)]);
            board.put(field, shape, false);
          });
    }
  };
  search.template split_for<kumiko::runtime::Polls::kAtBegin>(lie, search->pieces, try_piece, kGive,
                                                              kTake);
}

}  // namespace

int main(int argc, char** argv) {
  const examples::Number size{
      .name = "n", .least = 10, .most = examples::kMostPieces, .fallback = 10};
  return examples::search_program(
      argc, argv, size, [](int n) { return Board(n); },
      [](auto& search, int) { fill_from(search, 0, 0); },
      [](int n, const Board& board) -> std::string {
        if (board.ways == examples::kWaysToFill[static_cast<std::size_t>(n)]) return {};
        return std::to_string(board.ways) + " ways are wrong";
      });
}
