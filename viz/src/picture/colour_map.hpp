// Maps values to colours.
#pragma once

#include <vtkLookupTable.h>
#include <vtkSmartPointer.h>

#include <kumiko/viz/state_image.hpp>

#include "picture/canvas.hpp"

namespace kumiko::viz {

enum class Palette {
  /// Viridis (S. van der Walt and N. Smith, 2015), for fields: perceptually uniform, safe for
  /// colour-blind readers and in grey print.
  kViridis,
  /// Blue over grey to red (K. Moreland, 2009), for fields of both signs: the middle colour is at
  /// 0, and equal distances from it look equally far. Blue and red stay apart for all usual kinds
  /// of colour blindness.
  kDiverging,
  /// Pale yellow over orange to dark brown, for costs: high costs are dark. In steps of equal
  /// distance in
  /// CIELAB, its lightness falls throughout, which colour-blind readers and grey print keep.
  kHeat,
  /// Nearly white over blue to dark blue, for indicators; made as kHeat. Patches that need no
  /// refinement stay white.
  kDeep
};

/// Values beyond the range have the end colours, NaN is white.
class ColourMap {
 public:
  /// kDiverging shows that part of its colours which belongs to the range.
  ColourMap(Palette palette, Range range);
  Colour operator()(double value) const;

 private:
  vtkSmartPointer<vtkLookupTable> table_;
};

/// A colour for each worker: different ones up to kWorkerColours workers, then the same again. The
/// first eight are those of Okabe and Ito (2008), which colour-blind readers can distinguish, in an
/// order in which neighbours differ most; then the same ones paler and darker. White for a negative
/// number, which stands for no worker.
Colour worker_colour(int worker);
inline constexpr int kWorkerColours = 24;

/// From 0, black, to 1, white: how light a colour looks (CIE L* ÷ 100).
double lightness(Colour colour);

}  // namespace kumiko::viz
