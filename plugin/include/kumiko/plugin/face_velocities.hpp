// Mean normal velocities of the faces in and around a patch, for solvers in flux form.
//
// Usage, with the margin 0 of a scheme that needs the faces of the patch's own cells only:
//   coefficients()  face_values(0)
//   prepare()       fill_face_velocities(problem, patch, time, dt, 0, coefficients);
//                   return cfl_number(coefficients, 0);
//   advance()       const Faces x = faces_x(coefficients.data(), 0);
//                   x(i, j) is the value of the face between the cells (i - 1, j) and (i, j)
#pragma once

#include <cstddef>
#include <span>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::plugin {

/// The faces of the cells -margin .. 15 + margin of a patch, each way, and one more row of them on
/// each side along the faces. Values of both axes, x first.
constexpr std::size_t face_values(int margin) {
  return static_cast<std::size_t>(2 * (17 + 2 * margin) * (18 + 2 * margin));
}

/// Faces normal to one axis: face (i, j) is the lower one of cell (i, j).
struct Faces {
  const double* origin;  ///< of face (0, 0)
  std::ptrdiff_t stride;

  double operator()(int i, int j) const { return origin[j * stride + i]; }
};

/// Faces normal to x in an array of face_values(margin) values.
inline Faces faces_x(const double* values, int margin) {
  const std::ptrdiff_t stride = 17 + 2 * margin;
  return {values + (margin + 1) * stride + margin, stride};
}

/// Faces normal to y in such an array.
inline Faces faces_y(const double* values, int margin) {
  const std::ptrdiff_t stride = 18 + 2 * margin;
  return {values + (17 + 2 * margin) * (18 + 2 * margin) + margin * stride + margin + 1, stride};
}

/// Fills face_values(margin) Courant numbers: mean normal velocity × dt ÷ spacing, positive along
/// the axis, without unit. They are computed from the case's stream function, if it has one; the
/// flow through the faces of every cell then adds up to 0 except for rounding. Otherwise they are
/// computed from its velocity, by Gauss's rule with two points per face. The bits of a face do not
/// depend on the patch, nor on the side of a periodic seam from which it is seen: beyond a seam,
/// the case is evaluated at the wrapped position of the face.
/// \param patch   its points are not used
/// \param margin  layers of ghost cells whose faces are wanted as well, 0..6; others throw
/// std::invalid_argument
/// \param values  face_values(margin) at least, of which the first are filled; fewer throw
/// std::invalid_argument
/// Cost: one evaluation of ψ, or otherwise four of the velocity, for each of about (19 + 2 margin)²
/// points, and for one more row or column per seam. Keep the values among the coefficients, so that
/// a steady velocity is evaluated only once.
void fill_face_velocities(const amr::Case& problem, const amr::PatchPoints& patch, double time,
                          double dt, int margin, std::span<double> values);

/// The patch's CFL number: the largest sum over both axes of the larger Courant number of a cell's
/// two faces; NaN if any of the first face_values(margin) values is not finite. Throws
/// std::invalid_argument if there are fewer.
double cfl_number(std::span<const double> values, int margin);

}  // namespace kumiko::plugin
