// Pentominoes with a task for each piece that is laid, and a board of its own for each task: what a
// search is without undoing.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "problems/pentomino_board.hpp"
#include "support/program.hpp"

namespace kumiko::bench {
namespace {

using Board = examples::PiecesBoard;

std::int64_t ways(const Board& board, int field, int lie) {
  std::deque<std::int64_t> found;  // whose elements stay where they are
  System::Group group;
  for (int piece = lie; piece < board.pieces; ++piece) {
    for (const examples::Shape& shape :
         examples::kPieces[Board::at(board.order[Board::at(piece)])]) {
      if (!board.fits(field, shape)) continue;
      Board next = board;
      next.put(field, shape, true);
      std::swap(next.order[Board::at(lie)], next.order[Board::at(piece)]);
      const int next_field = next.next(field);
      if (lie + 1 == board.pieces) {
        found.push_back(1);
      } else if (!next.is_hole(next_field)) {
        group.run([&result = found.emplace_back(), next, next_field, lie] {
          result = ways(next, next_field, lie + 1);
        });
      }
    }
  }
  group.wait();
  std::int64_t sum = 0;
  for (const std::int64_t count : found) sum += count;
  return sum;
}

class CopyingPieces {
 public:
  static constexpr std::string_view kName = "copying_pieces";

  explicit CopyingPieces(Arguments& arguments) : n_(static_cast<int>(arguments.integer("n", 10))) {
    if (n_ < 10 || n_ > examples::kMostPieces) throw std::invalid_argument("n must be 10 to 13");
  }

  Measurement measure(System& system) const {
    std::int64_t found = 0;
    const double seconds = seconds_of([&] { system.run([&] { found = ways(Board(n_), 0, 0); }); });
    return {seconds, 1, {{"ways", found}}};
  }

 private:
  int n_;
};

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  return kumiko::bench::program_main<kumiko::bench::CopyingPieces>(argc, argv);
}
