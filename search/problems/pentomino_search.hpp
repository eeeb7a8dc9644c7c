// The search for pentominoes: one board, on which pieces are put and from which they are taken.
#pragma once

#include <utility>

#include <kumiko/runtime/search.hpp>

#include "pentomino_board.hpp"

namespace examples {

/// Fills the free fields from `field` on, when `lie` pieces lie already. Of a Search<PiecesBoard>:
/// in one process, over ranks, or serial.
void fill_from(auto& search, int field, int lie) {
  using Board = PiecesBoard;
  const auto try_piece = [=](auto& at, int piece) {
    for (const Shape& shape : kPieces[Board::at(at->order[Board::at(piece)])]) {
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
  const auto give = [](const Board& here, int, int) {
    Board part = here;
    part.ways = 0;
    return part;
  };
  const auto take = [](Board& here, Board&& part) { here.ways += part.ways; };
  search.template split_for<kumiko::runtime::Polls::kAtBegin>(lie, search->pieces, try_piece, give,
                                                              take);
}

}  // namespace examples
