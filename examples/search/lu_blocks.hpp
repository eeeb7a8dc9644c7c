// Blocks of a matrix, what is done with small ones, and whether factors are right.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>

#include <Eigen/Core>

namespace examples {

/// A block of a matrix whose rows lie one after another.
struct Block {
  double* begin;
  int rows, columns, stride;

  double* operator[](int row) const { return begin + static_cast<std::ptrdiff_t>(row) * stride; }
  Block part(int row, int column, int height, int width) const {
    return {(*this)[row] + column, height, width, stride};
  }
  Block upper(int height) const { return part(0, 0, height, columns); }
  Block lower(int from) const { return part(from, 0, rows - from, columns); }
};

// Not inlined, so that serial and parallel programs have the same.

/// c -= a b.
[[gnu::noinline]] inline void subtract_small_product(Block c, Block a, Block b) {
  for (int i = 0; i < c.rows; ++i) {
    for (int k = 0; k < a.columns; ++k) {
      const double factor = a[i][k];
      double* const row = c[i];
      const double* const other = b[k];
      for (int j = 0; j < c.columns; ++j) row[j] -= factor * other[j];
    }
  }
}

/// b = l^-1 b.
[[gnu::noinline]] inline void solve_few_rows(Block l, Block b) {
  for (int k = 0; k < l.rows; ++k) {
    for (int j = 0; j < b.columns; ++j) b[k][j] /= l[k][k];
    if (k + 1 == l.rows) return;
    subtract_small_product(b.lower(k + 1), l.part(k + 1, k, l.rows - k - 1, 1),
                           b.part(k, 0, 1, b.columns));
  }
}

/// b = b u^-1, where u has ones on its diagonal.
[[gnu::noinline]] inline void solve_few_columns(Block u, Block b) {
  for (int k = 0; k + 1 < u.rows; ++k) {
    const int rest = u.rows - k - 1;
    subtract_small_product(b.part(0, k + 1, b.rows, rest), b.part(0, k, b.rows, 1),
                           u.part(k, k + 1, 1, rest));
  }
}

/// What is wrong with the factors of the matrix n - |i - j|, by Eigen's product of them.
inline std::string compare_product(int n, const Block& a) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> factors(a.begin, n, n);
  const Matrix l = factors.triangularView<Eigen::Lower>();
  Matrix error = l * factors.triangularView<Eigen::UnitUpper>();
  for (int i = 0; i < n * n; ++i) error(i / n, i % n) -= n - std::abs(i / n - i % n);
  const double most = error.cwiseAbs().maxCoeff();
  return most < 1e-9 * n ? "" : "L U differs from A by " + std::to_string(most);
}

}  // namespace examples
