// The larger of two values, for loops that look for the largest indicator and that compilers
// vectorise.
#pragma once

namespace kumiko::amr {

/// The larger one; `largest` when `value` is NaN.
inline double larger(double value, double largest) { return value > largest ? value : largest; }

}  // namespace kumiko::amr
