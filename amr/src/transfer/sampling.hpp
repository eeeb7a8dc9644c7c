// A patch's points from a function of space: at the nodes, or as averages over the cells.
#pragma once

#include <functional>
#include <span>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/geometry.hpp>

namespace kumiko::amr {

static_assert(kAxes == 2, "points have an x and a y");

/// Values at a batch of points; false when there are none.
using FieldFunction = std::function<bool(Points, std::span<double>)>;

/// Fills `values`, kPatchPoints of them, x fastest, from a function of space. A node takes the
/// value at the node: one call. A cell takes the average over the cell by Gauss's rule with 4×4
/// points, exact for polynomials of degree 7 in x and in y, and for constants to the bit: 16 calls.
/// \return false, with the values unspecified, when the function has none.
bool sample_patch(const Geometry& geometry, const PatchId& id, const FieldFunction& field,
                  std::span<double> values);

}  // namespace kumiko::amr
