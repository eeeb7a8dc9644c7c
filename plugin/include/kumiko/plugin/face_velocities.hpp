// Mean normal velocities of the faces in and around a patch, for solvers in flux form.
//
// Usage, with the margin 0 of a scheme that needs the faces of the patch's own cells only:
//   traits()        .rescales = true
//   coefficients()  face_flow_values(0)
//   prepare()       return fill_face_flow(problem, patch, time, dt, 0, coefficients);
//   rescale()       return rescale_face_flow(problem, time, dt, coefficients);
//   advance()       const FaceFlow<0> flow(coefficients);
//                   flow.x()(i, j) is the Courant number of the face between cells (i - 1, j) and
//                   (i, j)
#pragma once

#include <array>
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

/// Layers of ghost cells, at most, whose faces may be wanted.
inline constexpr int kMostFaceMargin = 6;

/// Coefficients of a flow before those of its faces.
inline constexpr std::size_t kFaceFlowHead = 4;

/// Coefficients that a patch's face velocities take.
constexpr std::size_t face_flow_values(int margin) { return kFaceFlowHead + face_values(margin); }

/// Case::velocity_factor() of a case that has one. Throws std::runtime_error if it has none at that
/// time.
double velocity_factor_at(const amr::Case& problem, double time);

/// Fills face_flow_values(margin) coefficients with the velocities at a time, for a step: with
/// Courant numbers as fill_face_velocities() gives them; in a separable flow
/// (amr::Case::velocity_factor()) with the field, which rescale_face_flow() only has to scale. More
/// coefficients may follow. Parameters, errors and cost are those of fill_face_velocities().
/// \return the patch's CFL number, as cfl_number()
double fill_face_flow(const amr::Case& problem, const amr::PatchPoints& patch, double time,
                      double dt, int margin, std::span<double> coefficients);

/// Makes coefficients that fill_face_flow() has filled in a separable flow those of another time
/// and step, to the same bits. \return the patch's CFL number. O(1), and asks the case for its
/// factor alone.
double rescale_face_flow(const amr::Case& problem, double time, double dt,
                         std::span<double> coefficients);

/// The Courant numbers in coefficients of a flow, or in `scaled`, which is filled, where they have
/// to be scaled. Throws std::invalid_argument if either holds too few for the margin.
const double* face_courant_numbers(std::span<const double> coefficients, int margin,
                                   std::span<double> scaled);

/// The Courant numbers of a patch's faces in a step, for the stack: 8 bytes a face. What x() and
/// y() give points into this object or into the coefficients, and must not outlive either.
template <int MostMargin>
class FaceFlow {
 public:
  /// \param coefficients  as fill_face_flow() or rescale_face_flow() has left them
  /// \param margin        that they were filled for, MostMargin at most
  /// O(1), or O(faces) in a separable flow. Throws std::invalid_argument if there are too few.
  explicit FaceFlow(std::span<const double> coefficients, int margin = MostMargin)
      : margin_(margin),
        courant_(face_courant_numbers(coefficients, margin, scaled_)),
        spacing_(coefficients[0]) {}
  FaceFlow(const FaceFlow&) = delete;
  FaceFlow& operator=(const FaceFlow&) = delete;

  double spacing() const { return spacing_; }
  Faces x() const { return faces_x(courant_, margin_); }
  Faces y() const { return faces_y(courant_, margin_); }

 private:
  std::array<double, face_values(MostMargin)> scaled_;
  int margin_;
  const double* courant_;
  double spacing_;
};

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
