#include "commands/search_problems.hpp"

#include "options/options.hpp"
#include "problems/nqueens_search.hpp"
#include "problems/pentomino_search.hpp"
#include "terminal/request.hpp"

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

std::vector<std::string> search_problem_names() {
  std::vector<std::string> names;
  for (const SearchProblem& problem : search_problems()) names.push_back(problem.name);
  return names;
}

const SearchProblem& search_problem(const std::string& name) {
  for (const SearchProblem& problem : search_problems()) {
    if (problem.name == name) return problem;
  }
  throw RequestError("there is no problem '{}'; it can be {}", name,
                     listed(search_problem_names()));
}

}  // namespace kumiko::app
