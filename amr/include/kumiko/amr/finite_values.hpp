// Looks for values that are infinite or not a number.
#pragma once

#include <span>

namespace kumiko::amr {

/// Whether no value is infinite or NaN. O(values), by the widest instructions; suspends nothing.
bool are_finite(std::span<const double> values);

}  // namespace kumiko::amr
