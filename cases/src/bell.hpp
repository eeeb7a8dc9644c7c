// Smooth initial data that cases share.
#pragma once

#include <cmath>

#include <kumiko/amr/case.hpp>

namespace kumiko::cases {

/// exp(-r² / 2σ²), r the distance from (x, y).
struct Bell {
  double x;
  double y;
  double sigma;

  void sample(amr::Points points, std::span<double> values) const {
    const double scale = -0.5 / (sigma * sigma);
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double dx = points.x[at] - x;
      const double dy = points.y[at] - y;
      values[at] = std::exp(scale * (dx * dx + dy * dy));
    }
  }
};

}  // namespace kumiko::cases
