// Face velocities of a patch from its stream function, and their CFL number, compiled once for each
// instruction set.
#pragma once

#include <cstddef>

namespace kumiko::plugin {

/// Cells of a patch, each way.
inline constexpr int kFaceCells = 16;

/// Consecutive nodes of an axis, whose intervals are cells. A domain's seam parts two runs.
struct NodeRun {
  std::size_t node;   ///< the first one
  std::size_t cells;  ///< one less than it has nodes
};

/// The nodes along one axis.
struct NodeRuns {
  const NodeRun* runs;
  std::size_t count;
};

/// A grid of values, x fastest, `width` to a row.
struct NodeGrid {
  const double* values;
  std::size_t width;
  NodeRuns columns;
  NodeRuns rows;
};

/// Faces in and around a patch: faces (0, 0) and the strides from a row to the next.
struct FaceGrid {
  const double* x;
  std::ptrdiff_t stride_x;
  const double* y;
  std::ptrdiff_t stride_y;
};

struct FaceKernel {
  /// Sets the coordinates of all nodes, from those of `width` columns and `height` rows.
  void (*spread)(const double* x, std::size_t width, const double* y, std::size_t height,
                 double* node_x, double* node_y);
  /// Sets the differences of ψ along the faces times `scale`: of x without those of the first
  /// column, of y without those of the first row, row by row.
  void (*subtract)(const NodeGrid& psi, double scale, double* x, double* y);
  /// The largest sum over both axes of the larger magnitude of a cell's two faces. All are finite.
  double (*largest)(const FaceGrid& faces);
};

/// All three give the same bits.
FaceKernel face_kernel_baseline();
FaceKernel face_kernel_avx2();
FaceKernel face_kernel_avx512();

}  // namespace kumiko::plugin
