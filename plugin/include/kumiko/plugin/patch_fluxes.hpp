// The fluxes through the faces of a patch's cells in one step, for solvers in flux form.
#pragma once

#include <array>

#include <kumiko/amr/face_fluxes.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/patch_view.hpp>

namespace kumiko::plugin {

/// Passes the engine the faces that it needs of one component, from fluxes ÷ spacing.
/// \param through_x, through_y  as those of PatchFluxes
template <class ThroughX, class ThroughY>
void store_fluxes(ThroughX through_x, ThroughY through_y, double spacing, int component,
                  amr::FaceFluxes fluxes) {
  for (int line = 0; line < amr::FaceFluxes::kLines; ++line) {
    double* const to_x = fluxes.line(amr::FaceAxis::kX, line, component);
    double* const to_y = fluxes.line(amr::FaceAxis::kY, line, component);
    const int face = line * amr::kQuadrantSize;
    for (int at = 0; at < amr::kPatchSize; ++at) {
      to_x[at] = spacing * through_x(face, at);
      to_y[at] = spacing * through_y(at, face);
    }
  }
}

/// The fluxes of one component through all faces of the 16×16 cells over one step, positive along
/// the axis, divided by the spacing: the amount by which a cell's value decreases in favour of the
/// next cell's. 4.4 kB.
class PatchFluxes {
 public:
  /// \param through_x  (i, j) -> through the face between the cells (i - 1, j) and (i, j)
  /// \param through_y  (i, j) -> through the face between the cells (i, j - 1) and (i, j)
  template <class ThroughX, class ThroughY>
  PatchFluxes(ThroughX through_x, ThroughY through_y) {
    for (int j = 0; j < kSize; ++j) {
      for (int i = 0; i <= kSize; ++i) x_[index(j)][index(i)] = through_x(i, j);
    }
    for (int j = 0; j <= kSize; ++j) {
      for (int i = 0; i < kSize; ++i) y_[index(j)][index(i)] = through_y(i, j);
    }
  }

  /// Writes the interior of a component of `after`: that of `before`, plus the gain of every cell.
  void add_to(amr::ConstPatchView before, int component, amr::PatchView after) const {
    for (std::size_t j = 0; j < kSize; ++j) {
      const double* const from = before.origin(component) + static_cast<int>(j) * before.stride();
      double* const to = after.origin(component) + static_cast<int>(j) * after.stride();
      for (std::size_t i = 0; i < kSize; ++i) {
        to[i] = from[i] + ((x_[j][i] - x_[j][i + 1]) + (y_[j][i] - y_[j + 1][i]));
      }
    }
  }

  /// Passes the engine the faces that it needs, in its units.
  void store(double spacing, int component, amr::FaceFluxes fluxes) const {
    store_fluxes([this](int i, int j) { return x_[index(j)][index(i)]; },
                 [this](int i, int j) { return y_[index(j)][index(i)]; }, spacing, component,
                 fluxes);
  }

 private:
  static constexpr int kSize = amr::kPatchSize;
  static std::size_t index(int at) { return static_cast<std::size_t>(at); }

  std::array<std::array<double, kSize + 1>, kSize> x_;
  std::array<std::array<double, kSize>, kSize + 1> y_;
};

}  // namespace kumiko::plugin
