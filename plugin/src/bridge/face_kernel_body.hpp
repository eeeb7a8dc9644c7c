// Body of the kernel; included by one source file per instruction set, which defines
// KUMIKO_KERNEL_NAME. It uses no library code and nothing of it is seen by other files: an
// inline function shared with other files could end up in them with instructions that their
// processor lacks.
#include "bridge/face_kernel.hpp"

namespace kumiko::plugin {

namespace {

void spread(const double* x, std::size_t width, const double* y, std::size_t height,
            double* __restrict node_x, double* __restrict node_y) {
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t at = 0; at < width; ++at) node_x[at] = x[at];
    for (std::size_t at = 0; at < width; ++at) node_y[at] = y[row];
    node_x += width;
    node_y += width;
  }
}

void subtract(const NodeGrid& psi, double scale, double* __restrict x, double* __restrict y) {
  bool is_first_row = true;
  for (std::size_t row_run = 0; row_run < psi.rows.count; ++row_run) {
    const NodeRun rows = psi.rows.runs[row_run];
    for (std::size_t row = 0; row < rows.cells; ++row) {
      const double* const lower = psi.values + (rows.node + row) * psi.width;
      const double* const upper = lower + psi.width;
      for (std::size_t run = 0; run < psi.columns.count; ++run) {
        const std::size_t begin = psi.columns.runs[run].node;
        const std::size_t cells = psi.columns.runs[run].cells;
        // The first cell and the first row only lie beside faces that are wanted.
        const std::size_t skipped = run == 0 ? 1 : 0;
        for (std::size_t at = skipped; at < cells; ++at) {
          x[at - skipped] = (upper[begin + at] - lower[begin + at]) * scale;
        }
        x += cells - skipped;
        if (is_first_row) continue;
        for (std::size_t at = 0; at < cells; ++at) {
          y[at] = (lower[begin + at] - lower[begin + at + 1]) * scale;
        }
        y += cells;
      }
      is_first_row = false;
    }
  }
}

inline double larger(double a, double b) { return a > b ? a : b; }

double largest(const FaceGrid& faces) {
  // Of each column, so that compilers make vectors of the loop.
  double of_columns[kFaceCells] = {};
  for (int j = 0; j < kFaceCells; ++j) {
    const double* const west = faces.x + j * faces.stride_x;
    const double* const south = faces.y + j * faces.stride_y;
    for (int i = 0; i < kFaceCells; ++i) {
      const double sum =
          larger(__builtin_fabs(west[i]), __builtin_fabs(west[i + 1])) +
          larger(__builtin_fabs(south[i]), __builtin_fabs(south[i + faces.stride_y]));
      of_columns[i] = larger(sum, of_columns[i]);
    }
  }
  double most = 0.0;
  for (const double of_column : of_columns) most = larger(of_column, most);
  return most;
}

}  // namespace

FaceKernel KUMIKO_KERNEL_NAME() { return {&spread, &subtract, &largest}; }

}  // namespace kumiko::plugin
