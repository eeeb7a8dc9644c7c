// Integrals over boxes, and extremes with their places, of the present field.
#pragma once

#include <limits>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::amr {

/// A value of the field, and where its point lies: a node, or a cell's centre.
struct Extreme {
  double value = 0.0;
  double x = 0.0;
  double y = 0.0;
};

/// The least and the greatest value over the leaf points. Of equal values the first one counts, in
/// canonical order: by level, patch and quadrant, then by row and column.
struct Extremes {
  Extreme least{std::numeric_limits<double>::infinity()};
  Extreme greatest{-std::numeric_limits<double>::infinity()};
};

/// Throws std::invalid_argument unless a box lies in the domain and has an area.
void check_box(const Geometry& geometry, const Rectangle& box);

// Of a mesh that is shared, every rank calls these with itself, and all get the same.

/// Of each component, the sum over the leaf points of value × the part of the point's area that
/// lies in the box. A point has the area by which FieldFigures::mass weights it, its cell or, of a
/// node, the h × h square of which it is the lower left corner. So the integrals of boxes that tile
/// the domain add up to the mass, and that of the whole domain is the mass, to the bit.
/// Throws as check_box().
std::vector<double> box_integrals(const Hierarchy& hierarchy, const Rectangle& box,
                                  Backend& backend, Communicator& communicator = single_rank());

/// Of each component. NaNs count for neither extreme.
std::vector<Extremes> extremes(const Hierarchy& hierarchy, Backend& backend,
                               Communicator& communicator = single_rank());

}  // namespace kumiko::amr
