// Node-centred transfer between a patch and its parent, and points in physical space.
#pragma once

#include <array>

#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/patch.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::amr {

static_assert(kAxes == 2, "prolongation and restriction go along x and y");

/// Fills the interior of `fine` from its parent's 4×4 stencils: cubic, exact for cubics. Two of the
/// parent's ghost layers must be filled.
void prolong(ConstPatchView parent, int quadrant, PatchView fine);

/// Injects a child's even nodes into the quadrant of its parent that it covers.
void restrict_onto(ConstPatchView fine, int quadrant, PatchView parent);

/// The coordinates of a patch's interior points, x fastest.
class PatchCoordinates {
 public:
  PatchCoordinates(const Geometry& geometry, const PatchId& id);
  Points points() const { return {x_, y_}; }

 private:
  std::array<double, kPatchPoints> x_;
  std::array<double, kPatchPoints> y_;
};

}  // namespace kumiko::amr
