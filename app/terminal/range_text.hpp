// A range of values as readable text.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/core.h>

namespace kumiko::app {

/// "-0.024113 .. 1.0000": five significant digits, or as many as distinguish the two ends in five.
inline std::string range_text(double minimum, double maximum) {
  constexpr int kDigits = 5;
  constexpr int kMostDigits = 17;
  const double largest = std::max(std::abs(minimum), std::abs(maximum));
  const double width = maximum - minimum;
  int digits = kDigits;
  if (width > 0.0 && width < largest) {
    digits += static_cast<int>(std::ceil(std::log10(largest / width)));
  }
  digits = std::min(digits, kMostDigits);
  return fmt::format("{:#.{}g} .. {:#.{}g}", minimum, digits, maximum, digits);
}

}  // namespace kumiko::app
