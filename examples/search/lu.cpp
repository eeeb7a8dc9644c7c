// Factors of a matrix, A = L U with ones on U's diagonal, in place and without pivots, by recursion
// down to blocks of four: a workspace that all parts share, since they write to different blocks.
//
//     build/release/bin/example_search_lu [n] [workers] [rounds]
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "lu_blocks.hpp"
#include "program.hpp"

namespace {

using examples::Block;

constexpr auto kGive = [](const Block& here) { return here; };
constexpr auto kTake = [](Block&, Block&&) {};

/// c -= a b: halves the rows in parallel, the inner sum in sequence, whichever is longer.
void subtract_product(auto& search, Block c, Block a, Block b) {
  if (c.rows > 4 && c.rows >= a.columns) {
    const int half = c.rows / 2;
    search.split_two([=](auto& at) { subtract_product(at, c.upper(half), a.upper(half), b); },
                     [=](auto& at) { subtract_product(at, c.lower(half), a.lower(half), b); },
                     kGive, kTake);
  } else if (a.columns > 4) {
    const int half = a.columns / 2;
    subtract_product(search, c, a.part(0, 0, a.rows, half), b.upper(half));
    subtract_product(search, c, a.part(0, half, a.rows, a.columns - half), b.lower(half));
  } else {
    examples::subtract_small_product(c, a, b);
  }
}

/// b = l^-1 b.
void solve_rows(auto& search, Block l, Block b) {
  if (l.rows > 4) {
    const int half = l.rows / 2;
    solve_rows(search, l.part(0, 0, half, half), b.upper(half));
    subtract_product(search, b.lower(half), l.part(half, 0, l.rows - half, half), b.upper(half));
    solve_rows(search, l.part(half, half, l.rows - half, l.rows - half), b.lower(half));
    return;
  }
  examples::solve_few_rows(l, b);
}

/// b = b u^-1: halves the rows in parallel.
void solve_columns(auto& search, Block u, Block b) {
  if (b.rows > 4) {
    const int half = b.rows / 2;
    search.split_two([=](auto& at) { solve_columns(at, u, b.upper(half)); },
                     [=](auto& at) { solve_columns(at, u, b.lower(half)); }, kGive, kTake);
    return;
  }
  examples::solve_few_columns(u, b);
}

void factor(auto& search, Block a) {
  if (a.rows == 1) return;
  const int first = a.rows > 16 ? a.rows / 4 : a.rows / 2;
  const int rest = a.rows - first;
  const Block done = a.part(0, 0, first, first);
  const Block above = a.part(0, first, first, rest);
  const Block beside = a.part(first, 0, rest, first);
  const Block left = a.part(first, first, rest, rest);
  factor(search, done);
  search.split_two([=](auto& at) { solve_rows(at, done, above); },
                   [=](auto& at) { solve_columns(at, done, beside); }, kGive, kTake);
  subtract_product(search, left, beside, above);
  factor(search, left);
}

}  // namespace

int main(int argc, char** argv) {
  const examples::Number size{.name = "n", .least = 1, .most = 8000, .fallback = 150};
  std::vector<double> values;
  const auto make = [&values](int n) {
    values.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (int i = 0; i < n * n; ++i) {
      values[static_cast<std::size_t>(i)] = n - std::abs(i / n - i % n);
    }
    return Block{values.data(), n, n, n};
  };
  return examples::search_program(
      argc, argv, size, make, [](auto& search, int) { factor(search, *search); },
      examples::Answer{"last_pivot", [](const Block& a) { return a[a.rows - 1][a.columns - 1]; }},
      examples::compare_product);
}
