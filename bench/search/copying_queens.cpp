// Queens with a task for each one that is placed, and a board of its own for each task: what a
// search is without undoing.
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "problems/nqueens_board.hpp"
#include "support/program.hpp"

namespace kumiko::bench {
namespace {

using Board = examples::QueensBoard;

std::int64_t ways(const Board& board, int row) {
  std::array<std::int64_t, examples::kMostQueens> found;
  std::size_t tasks = 0;
  std::int64_t sum = 0;
  System::Group group;
  for (int i = row; i < board.size; ++i) {
    if (!board.is_free(row, i)) continue;
    if (row == board.size - 1) {
      ++sum;
      continue;
    }
    Board next = board;
    next.place(row, i);
    group.run([&result = found[tasks++], next, row] { result = ways(next, row + 1); });
  }
  group.wait();
  for (std::size_t i = 0; i < tasks; ++i) sum += found[i];
  return sum;
}

class CopyingQueens {
 public:
  static constexpr std::string_view kName = "copying_queens";

  explicit CopyingQueens(Arguments& arguments) : n_(static_cast<int>(arguments.integer("n", 12))) {
    if (n_ < 1 || n_ > examples::kMostQueens) throw std::invalid_argument("n must be 1 to 17");
  }

  Measurement measure(System& system) const {
    std::int64_t found = 0;
    const double seconds = seconds_of([&] { system.run([&] { found = ways(Board(n_), 0); }); });
    return {seconds, 1, {{"ways", found}}};
  }

 private:
  int n_;
};

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  return kumiko::bench::program_main<kumiko::bench::CopyingQueens>(argc, argv);
}
