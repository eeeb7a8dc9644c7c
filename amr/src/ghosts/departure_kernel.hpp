// Interpolation at the departure points of particles, compiled once for each instruction
// set.
#pragma once

#include <cstddef>

namespace kumiko::amr {

/// Points of the next finer level on a line, every second of them, so that neighbours lie one
/// coarse spacing apart: the lanes. Their values are wanted where they were before, less than half
/// a coarse spacing away.
struct DepartureLine {
  const double* from;     ///< coarse value at the node at or below lane 0's point; lanes follow
  std::ptrdiff_t step_x;  ///< from a coarse value to its neighbour in x, in memory; 1 or
  std::ptrdiff_t step_y;  ///< ... in y; one of the two is 1, the lanes' direction
  bool half_x;            ///< the points lie half-way between coarse nodes in x
  bool half_y;
  const double* dx;  ///< displacements in coarse spacings, by lane, in [-1/2, 1/2]
  const double* dy;
  double* to;  ///< of lane 0
  std::ptrdiff_t to_step;
  int lanes;  ///< 1 .. 8
};

using DepartureKernel = void (*)(const DepartureLine* lines, std::size_t count);

/// Tensor-product cubic interpolation on 4×4 points, 4 in x and 1 in y. All three give the same
/// bits. Cost per point: about 70 flops, 25 loads.
void interpolate_baseline(const DepartureLine* lines, std::size_t count);
void interpolate_avx2(const DepartureLine* lines, std::size_t count);
void interpolate_avx512(const DepartureLine* lines, std::size_t count);

}  // namespace kumiko::amr
