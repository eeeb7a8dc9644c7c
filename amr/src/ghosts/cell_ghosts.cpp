#include "ghosts/cell_ghosts.hpp"

#include <array>
#include <memory>

#include "transfer/cell_transfer.hpp"

namespace kumiko::amr {

namespace {

/// The coarse cells that interpolation reads for a range of fine ones.
PointRange coarse_cells(const PointRange& fine) {
  return {(fine.i0 >> 1) - kCellReach, ((fine.i1 - 1) >> 1) + kCellReach + 1,
          (fine.j0 >> 1) - kCellReach, ((fine.j1 - 1) >> 1) + kCellReach + 1};
}

/// Values from u0 at the start and u1 at the end of the step; `result` holds the tendency for the
/// parabola.
void blend(TimeInterpolation interpolation, const CoarseStep& coarse, double fraction,
           const PointRange& range, PatchView result) {
  for (int component = 0; component < result.components(); ++component) {
    for (int j = range.j0; j < range.j1; ++j) {
      const double* const start = &coarse.start(0, j, component);
      const double* const end = &coarse.end(0, j, component);
      double* const out = &result(0, j, component);
      if (interpolation == TimeInterpolation::kQuadratic) {
        for (int i = range.i0; i < range.i1; ++i) {
          out[i] = start[i] + fraction * (out[i] + fraction * ((end[i] - start[i]) - out[i]));
        }
      } else {
        for (int i = range.i0; i < range.i1; ++i) {
          out[i] = start[i] + fraction * (end[i] - start[i]);
        }
      }
    }
  }
}

void interpolate_all(ConstPatchView coarse, const PointRange& range, PatchView fine, int i, int j) {
  for (int component = 0; component < fine.components(); ++component) {
    interpolate_cells(coarse.origin(component), coarse.stride(), range, &fine(i, j, component),
                      fine.stride());
  }
}

}  // namespace

void fill_cells_from_coarse(const Solver& solver, TimeInterpolation interpolation,
                            const CoarseStep& coarse, double fraction, const PointRange& range,
                            PatchView fine, int i, int j) {
  if (fraction == 0.0) return interpolate_all(coarse.start, range, fine, i, j);
  if (fraction == 1.0) return interpolate_all(coarse.end, range, fine, i, j);
  const int components = coarse.start.components();
  const int ghosts = coarse.start.ghosts();
  const std::size_t size = PatchView::size(components, ghosts);
  // One component finds room on the stack, which costs no allocation.
  std::array<double, PatchView::size(1, kLargestGhosts)> of_one;
  const auto of_several =
      size > of_one.size() ? std::make_unique_for_overwrite<double[]>(size) : nullptr;
  const PatchView between(of_several ? of_several.get() : of_one.data(), components, ghosts);
  const PointRange cells = coarse_cells(range);
  if (interpolation == TimeInterpolation::kQuadratic) {
    solver.tendency(coarse.start, coarse.coefficients, cells, between);
  }
  blend(interpolation, coarse, fraction, cells, between);
  interpolate_all(between, range, fine, i, j);
}

}  // namespace kumiko::amr
