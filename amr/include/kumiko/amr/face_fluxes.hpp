// Fluxes through the faces of a patch on which a coarse–fine boundary can lie.
#pragma once

#include <cstddef>

#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/patch_id.hpp>

namespace kumiko::amr {

/// The axis that a face is normal to.
enum class FaceAxis { kX = 0, kY = 1 };

/// Non-owning view of the fluxes of one patch over one step: `components` × 2 axes × 3 lines × 16
/// faces. Line n normal to x has the faces between the points 8n - 1 and 8n of each row, from the
/// lowest row on; lines normal to y likewise. Lines 0 and 2 are the patch's sides, line 1 separates
/// its quadrants. So every side of a child lies on one of the lines.
///
/// A flux is positive along its axis. It is the integral over the step of the face's mean flux, in
/// units of u × length: a point's value changes by (west - east + south - north) / spacing.
class FaceFluxes {
 public:
  static constexpr int kLines = 3;

  FaceFluxes(double* data, int components) : data_(data), components_(components) {}

  int components() const { return components_; }
  /// The 16 faces of a line.
  double* line(FaceAxis axis, int line, int component = 0) const {
    return data_ + ((component * 2 + static_cast<int>(axis)) * kLines + line) * kPatchSize;
  }

  /// The number of values of a patch with this number of components.
  static constexpr std::size_t size(int components) {
    return static_cast<std::size_t>(components) * 2 * kLines * kPatchSize;
  }

 private:
  double* data_;
  int components_;
};

/// Non-owning view of the sums that a fine patch keeps for refluxing: through the coarse faces of
/// each side, over the coarse step; units as above. `components` × 4 sides × 8 coarse faces.
class FluxRegister {
 public:
  FluxRegister(double* data, int components) : data_(data), components_(components) {}

  int components() const { return components_; }
  /// The 8 coarse faces of a side, in the direction of growing indices.
  double* side(Side side, int component = 0) const {
    return data_ + (component * 4 + static_cast<int>(side)) * kQuadrantSize;
  }

  /// The number of values of a patch with this number of components.
  static constexpr std::size_t size(int components) {
    return static_cast<std::size_t>(components) * 4 * kQuadrantSize;
  }

 private:
  double* data_;
  int components_;
};

}  // namespace kumiko::amr
