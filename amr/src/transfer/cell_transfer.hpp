// Conservative transfer of cell averages between a patch and its parent.
#pragma once

#include <cstddef>

#include <kumiko/amr/patch_view.hpp>

namespace kumiko::amr {

static_assert(kAxes == 2, "a cell has four finer ones");

/// Coarse cells that interpolate_cells() reads on each side of a cell.
inline constexpr int kCellReach = 2;

/// Averages of fine cells from coarse ones, by the quartic of which the five averages around a cell
/// along an axis are the averages: u ± (22 (u₁ - u₋₁) - 3 (u₂ - u₋₂)) / 128, along x, then along y.
/// The mean of a cell's four children is its own average to round-off; constants stay to the bit;
/// fifth order.
/// \param coarse   address of coarse cell (0, 0)
/// \param stride   from a coarse row to the next
/// \param range    fine cells, counted so that cells 2i and 2i + 1 lie in coarse cell i; at most
///                 kPatchSize each way
/// \param fine     address for the range's first cell
/// \param fine_stride  from a fine row to the next
/// Cost per fine cell and axis: half a difference, of 5 flops, and one addition.
void interpolate_cells(const double* coarse, std::ptrdiff_t stride, const PointRange& range,
                       double* fine, std::ptrdiff_t fine_stride);

/// Fills the interior of `fine` from its parent. kCellReach of the parent's ghost layers must be
/// filled.
void prolong_cells(ConstPatchView parent, int quadrant, PatchView fine);

/// Gives the quadrant that a child covers the means of its children's four values, summed in pairs
/// along x.
void restrict_cells(ConstPatchView fine, int quadrant, PatchView parent);

}  // namespace kumiko::amr
