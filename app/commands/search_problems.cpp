#include "commands/search_problems.hpp"

#include "problems/nqueens_search.hpp"
#include "problems/pentomino_search.hpp"

namespace kumiko::app {

namespace {

template <class Board, class Begin>
std::optional<long> count_ways(int size, search::Outside& others, const std::stop_token& stop,
                               Begin begin) {
  search::Search<Board> search(Board(size), others, stop);
  begin(search);
  if (search.stopped()) return std::nullopt;
  return search->ways;
}

}  // namespace

const std::vector<SearchProblem>& search_problems() {
  static const std::vector<SearchProblem> all{
      {"queens", 1, examples::kMostQueens,
       [](int size, auto& others, const auto& stop) {
         return count_ways<examples::QueensBoard>(
             size, others, stop, [](auto& search) { examples::place_from(search, 0); });
       }},
      {"pentomino", 10, examples::kMostPieces,
       [](int size, auto& others, const auto& stop) {
         return count_ways<examples::PiecesBoard>(
             size, others, stop, [](auto& search) { examples::fill_from(search, 0, 0); });
       }},
  };
  return all;
}

}  // namespace kumiko::app
