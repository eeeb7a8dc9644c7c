// Points of a mesh from a function of space: at the nodes, or as averages over the cells.
#pragma once

#include <functional>
#include <span>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/geometry.hpp>

namespace kumiko::amr {

static_assert(kAxes == 2, "points have an x and a y");

/// Values at a batch of points; false when there are none.
using FieldFunction = std::function<bool(Points, std::span<double>)>;

/// Fills a value for each point of a level from a function of space. A node takes the value at the
/// node: one call. A cell takes the average over the cell by Gauss's rule with 4×4 points, exact
/// for polynomials of degree 7 in x and in y, and for constants to the bit: 16 calls.
/// \param points  nodes, or the centres of cells; kPatchPoints at most
/// \return false, with the values unspecified, when the function has none.
bool sample(const Geometry& geometry, int level, Points points, const FieldFunction& field,
            std::span<double> values);

/// The same for the points of a patch, kPatchPoints of them, x fastest.
bool sample_patch(const Geometry& geometry, const PatchId& id, const FieldFunction& field,
                  std::span<double> values);

}  // namespace kumiko::amr
