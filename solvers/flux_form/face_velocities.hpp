// Mean normal velocities of the faces in and around a patch.
#pragma once

#include <cstddef>
#include <span>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::solvers::flux_form {

/// The faces of the cells -margin .. 15 + margin of a patch, each way, and one more row of them on
/// each side along the faces. Values of both axes, x first.
constexpr std::size_t face_values(int margin) {
  return static_cast<std::size_t>(2 * (17 + 2 * margin) * (18 + 2 * margin));
}

/// Faces normal to one axis: face (i, j) is the lower one of cell (i, j).
struct Faces {
  const double* origin;  ///< of face (0, 0)
  std::ptrdiff_t stride;
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

/// Fills face_values(margin) Courant numbers, mean normal velocity × dt ÷ spacing, from the case's
/// stream function or, without one, from its velocity.
void fill_face_velocities(const amr::Case& problem, const amr::PatchPoints& patch, double time,
                          double dt, int margin, std::span<double> values);

/// The patch's CFL number: the largest sum over both axes of the larger Courant number of a cell's
/// two faces; NaN when any value of the array is not finite.
double cfl_number(std::span<const double> values, int margin);

}  // namespace kumiko::solvers::flux_form
