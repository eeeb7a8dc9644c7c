// Cubic interpolation as textbooks write it, to compare with.
#pragma once

#include <cmath>

#include <kumiko/amr/patch_view.hpp>

namespace kumiko::amr::test {

/// Lagrange's basis polynomial of a node -1..2.
inline double lagrange_basis(int node, double f) {
  double weight = 1.0;
  for (int other = -1; other <= 2; ++other) {
    if (other != node) weight *= (f - other) / (node - other);
  }
  return weight;
}

/// Value at (x, y), in units of the patch's points, from the 4×4 points around it.
inline double lagrange(ConstPatchView patch, double x, double y) {
  const int i = static_cast<int>(std::floor(x));
  const int j = static_cast<int>(std::floor(y));
  double sum = 0.0;
  for (int n = -1; n <= 2; ++n) {
    // Points on a line of nodes need none beside it, which may lie beyond the ghosts.
    if (lagrange_basis(n, y - j) == 0.0) continue;
    for (int m = -1; m <= 2; ++m) {
      if (lagrange_basis(m, x - i) == 0.0) continue;
      sum += lagrange_basis(m, x - i) * lagrange_basis(n, y - j) * patch(i + m, j + n);
    }
  }
  return sum;
}

}  // namespace kumiko::amr::test
