#include "transfer/cubic.hpp"

#include <array>

namespace kumiko::amr {

namespace {

/// Coarse rows that a block's nodes lie between.
constexpr std::size_t kMostRows = kPatchSize / 2 + 4;

using Row = std::array<double, kPatchSize>;

/// One coarse row at the block's x; a block of a patch's width begins at a coarse node.
template <int Width>
void along_x(const double* from, int i2, int width, double* to) {
  if constexpr (Width > 0) {
    for (int k = 0; k < Width / 2; ++k) {
      to[2 * k] = from[k];
      to[2 * k + 1] = cubic_midpoint(from[k - 1], from[k], from[k + 1], from[k + 2]);
    }
  } else {
    for (int i = 0; i < width; ++i) {
      const double* const u = from + ((i2 + i) >> 1) - (i2 >> 1);
      to[i] = ((i2 + i) & 1) == 0 ? u[0] : cubic_midpoint(u[-1], u[0], u[1], u[2]);
    }
  }
}

template <int Width>
void interpolate_rows(ConstPatchView patch, int component, const HalfBlock& block, double* to,
                      std::ptrdiff_t stride) {
  const int width = Width > 0 ? Width : block.width;
  const int first = (block.j2 >> 1) - 1;
  const int last = ((block.j2 + block.height) >> 1) + 1;
  std::array<Row, kMostRows> rows;
  const double* from = patch.origin(component) + first * patch.stride() + (block.i2 >> 1);
  for (int row = first; row <= last; ++row, from += patch.stride()) {
    along_x<Width>(from, block.i2, width, rows[static_cast<std::size_t>(row - first)].data());
  }
  for (int j2 = block.j2; j2 < block.j2 + block.height; ++j2, to += stride) {
    const Row* const row = &rows[static_cast<std::size_t>((j2 >> 1) - first)];
    const double* const below = row[-1].data();
    const double* const at = row[0].data();
    const double* const above = row[1].data();
    const double* const beyond = row[2].data();
    if ((j2 & 1) == 0) {
      for (int i = 0; i < width; ++i) to[i] = at[i];
    } else {
      for (int i = 0; i < width; ++i) to[i] = cubic_midpoint(below[i], at[i], above[i], beyond[i]);
    }
  }
}

/// A block two points wide that begins at a node, as columns of fine ghosts do. What a row gives
/// stays in registers: stored one by one and loaded in vectors, it would wait for the stores.
void interpolate_pairs(ConstPatchView patch, int component, const HalfBlock& block, double* to,
                       std::ptrdiff_t stride) {
  struct Pair {
    double node, half;
  };
  const double* from =
      patch.origin(component) + ((block.j2 >> 1) - 1) * patch.stride() + (block.i2 >> 1);
  const auto next = [&] {
    const Pair pair{from[0], cubic_midpoint(from[-1], from[0], from[1], from[2])};
    from += patch.stride();
    return pair;
  };
  Pair below = next();
  Pair at = next();
  Pair above = next();
  for (int j = 0; j < block.height; j += 2) {
    const Pair beyond = next();
    to[0] = at.node;
    to[1] = at.half;
    to += stride;
    to[0] = cubic_midpoint(below.node, at.node, above.node, beyond.node);
    to[1] = cubic_midpoint(below.half, at.half, above.half, beyond.half);
    to += stride;
    below = at;
    at = above;
    above = beyond;
  }
}

}  // namespace

void interpolate_block(ConstPatchView patch, int component, const HalfBlock& block, double* to,
                       std::ptrdiff_t stride) {
  const bool begins_at_node = (block.i2 & 1) == 0;
  if (block.width == kPatchSize && begins_at_node) {
    interpolate_rows<kPatchSize>(patch, component, block, to, stride);
  } else if (block.width == 2 && begins_at_node && ((block.j2 | block.height) & 1) == 0) {
    interpolate_pairs(patch, component, block, to, stride);
  } else {
    interpolate_rows<0>(patch, component, block, to, stride);
  }
}

}  // namespace kumiko::amr
