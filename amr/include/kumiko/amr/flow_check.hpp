// Checks whether what a case says of its flow fits together.
#pragma once

#include <array>
#include <optional>

#include <kumiko/amr/case.hpp>

namespace kumiko::amr {

/// A place where they differ.
struct FlowContradiction {
  double x = 0.0;
  double y = 0.0;
  double time = 0.0;
  std::array<double, 2> by_stream = {};  ///< (∂ψ/∂y, -∂ψ/∂x) by central differences
  std::array<double, 2> velocity = {};
};

/// Compares both at some points and times. \return the place where they differ most if they differ
/// by more than a fifth of the largest speed at more than half of the points, so that a velocity
/// that jumps does not count; nothing if they agree, or the case knows no stream function or fails.
/// Cost: 500 points of each.
std::optional<FlowContradiction> contradiction(const Case& problem);

/// A place where a velocity is not the factor times the steady field.
struct FactorContradiction {
  double x = 0.0;
  double y = 0.0;
  double time = 0.0;
  double factor = 0.0;
  std::array<double, 2> velocity = {};
  std::array<double, 2> field = {};  ///< the velocity at Case::unit_factor_time()
};

/// Compares a separable velocity with its factor at some points and times. \return the place where
/// they differ most if they differ by more than a millionth of the largest speed; nothing if they
/// agree or there is no factor. Throws what the case does. Cost: 500 points.
std::optional<FactorContradiction> factor_contradiction(const Case& problem);

}  // namespace kumiko::amr
