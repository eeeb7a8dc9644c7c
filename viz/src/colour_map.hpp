// Values to colours.
#pragma once

#include <vtkLookupTable.h>
#include <vtkSmartPointer.h>

#include "canvas.hpp"

namespace kumiko::viz {

/// Viridis (S. van der Walt and N. Smith, 2015): perceptually uniform, safe for colour-blind
/// readers and in grey print. Values beyond the range have the end colours, NaN is white.
class ColourMap {
 public:
  ColourMap(double range_min, double range_max);
  Colour operator()(double value) const;

 private:
  vtkSmartPointer<vtkLookupTable> table_;
};

}  // namespace kumiko::viz
