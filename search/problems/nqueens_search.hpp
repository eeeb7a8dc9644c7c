// The search for queens: one board, on which they are placed and removed, is all that it works on.
// A part that is given away has a copy of it.
#pragma once

#include <kumiko/runtime/search.hpp>

#include "nqueens_board.hpp"

namespace examples {

/// Places queens in the rows from `row` on. Of a Search<QueensBoard>: in one process, over ranks,
/// or serial.
void place_from(auto& search, int row) {
  const auto try_column = [row](auto& at, int i) {
    if (!at->is_free(row, i)) return;
    if (row == at->size - 1) {
      ++at->ways;
      return;
    }
    at.reversible([=](QueensBoard& board) { board.place(row, i); },
                  [&] { place_from(at, row + 1); },
                  [=](QueensBoard& board) { board.remove(row, i); });
  };
  const auto give = [](const QueensBoard& here, int, int) {
    QueensBoard part = here;
    part.ways = 0;
    return part;
  };
  const auto take = [](QueensBoard& here, QueensBoard&& part) { here.ways += part.ways; };
  search.template split_for<kumiko::runtime::Polls::kAtBegin>(row, search->size, try_column, give,
                                                              take);
}

}  // namespace examples
