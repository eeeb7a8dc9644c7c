// Bell-shaped smooth initial data that cases share.
#pragma once

#include <cmath>

#include <kumiko/amr/case.hpp>

namespace kumiko::cases {

/// exp(-r² / 2σ²), r the distance from (x, y).
struct Bell {
  double x;
  double y;
  double sigma;

  double at(double x_at, double y_at) const {
    const double scale = -0.5 / (sigma * sigma);
    const double dx = x_at - x;
    const double dy = y_at - y;
    return std::exp(scale * (dx * dx + dy * dy));
  }

  void sample(amr::Points points, std::span<double> values) const {
    evaluate(points, values, [this](double x_at, double y_at) { return at(x_at, y_at); });
  }
};

}  // namespace kumiko::cases
