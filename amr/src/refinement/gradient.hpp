// A refinement indicator: the largest difference between a point and its neighbours.
#pragma once

#include "refinement/criterion.hpp"

namespace kumiko::amr {

/// |∇u| undivided: the largest |u - v| over the four neighbouring values v, of the component where
/// it is largest. In the field's units: the jump that neighbouring points of a level may differ by.
/// Divided by the spacing it is the largest one-sided slope; undivided it halves from level to
/// level where the field is smooth, so that refinement ends where the points resolve it. Cost: 12
/// operations a point and component, vectorised.
void gradient_indicator(ConstPatchView field, IndicatorField& indicator);

}  // namespace kumiko::amr
