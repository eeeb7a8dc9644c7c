// n-queens: one thread for each queen that can be placed.
#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "support/program.hpp"

namespace kumiko::bench {
namespace {

constexpr long kMostQueens = 16;

/// The rows filled so far, as masks over the columns of the next row.
struct Board {
  std::uint32_t columns = 0;
  std::uint32_t left_diagonals = 0;
  std::uint32_t right_diagonals = 0;

  std::uint32_t attacked() const noexcept { return columns | left_diagonals | right_diagonals; }

  Board with(std::uint32_t queen) const noexcept {
    return {columns | queen, (left_diagonals | queen) << 1, (right_diagonals | queen) >> 1};
  }
};

struct Count {
  std::int64_t solutions;
  std::int64_t placements;
};

Count place_rest(const Board& board, std::uint32_t all) {
  if (board.columns == all) return {1, 0};
  std::array<Count, kMostQueens> counts;
  std::size_t children = 0;
  System::Group group;
  for (std::uint32_t free = all & ~board.attacked(); free != 0; free &= free - 1) {
    group.run([&count = counts[children], next = board.with(free & -free), all] {
      count = place_rest(next, all);
    });
    ++children;
  }
  group.wait();
  Count sum{0, static_cast<std::int64_t>(children)};
  for (std::size_t i = 0; i < children; ++i) {
    sum.solutions += counts[i].solutions;
    sum.placements += counts[i].placements;
  }
  return sum;
}

class NQueens {
 public:
  static constexpr std::string_view kName = "nqueens";

  explicit NQueens(Arguments& arguments) : n_(arguments.integer("n", 12)) {
    if (n_ < 1 || n_ > kMostQueens) throw std::invalid_argument("n must be 1 to 16");
  }

  Measurement measure(System& system) const {
    Count count{};
    const double seconds = seconds_of(
        [&] { system.run([&] { count = place_rest({}, (std::uint32_t{1} << n_) - 1); }); });
    return {seconds,
            static_cast<std::uint64_t>(count.placements),
            {{"solutions", count.solutions}, {"placements", count.placements}}};
  }

 private:
  long n_;
};

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  return kumiko::bench::program_main<kumiko::bench::NQueens>(argc, argv);
}
