// What flows through the faces of a patch's cells, for solvers in flux form.
#pragma once

#include <array>

#include <kumiko/amr/face_fluxes.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/patch_view.hpp>

namespace kumiko::solvers {

/// The fluxes of one component through all faces of the 16×16 cells over one step, positive along
/// the axis, divided by the spacing: what a cell's value loses to the next. x[j][i] is the face
/// between the cells (i - 1, j) and (i, j), y[j][i] that between (i, j - 1) and (i, j).
struct PatchFluxes {
  std::array<std::array<double, amr::kPatchSize + 1>, amr::kPatchSize> x;
  std::array<std::array<double, amr::kPatchSize>, amr::kPatchSize + 1> y;

  /// The change of cell (i, j) over the step.
  double gain(int i, int j) const {
    const auto row = static_cast<std::size_t>(j);
    const auto column = static_cast<std::size_t>(i);
    return (x[row][column] - x[row][column + 1]) + (y[row][column] - y[row + 1][column]);
  }

  /// Writes the interior of `after`: `before` and what each cell gains.
  void advance(amr::ConstPatchView before, amr::PatchView after, int component) const {
    for (int j = 0; j < amr::kPatchSize; ++j) {
      for (int i = 0; i < amr::kPatchSize; ++i) {
        after(i, j, component) = before(i, j, component) + gain(i, j);
      }
    }
  }

  /// Hands the engine the lines that it asks for, in its units.
  void store(double spacing, amr::FaceFluxes fluxes, int component) const {
    for (int line = 0; line < amr::FaceFluxes::kLines; ++line) {
      double* const to_x = fluxes.line(amr::FaceAxis::kX, line, component);
      double* const to_y = fluxes.line(amr::FaceAxis::kY, line, component);
      const auto face = static_cast<std::size_t>(line * amr::kQuadrantSize);
      for (std::size_t at = 0; at < amr::kPatchSize; ++at) {
        to_x[at] = spacing * x[at][face];
        to_y[at] = spacing * y[face][at];
      }
    }
  }
};

}  // namespace kumiko::solvers
