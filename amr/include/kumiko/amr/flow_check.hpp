// Checks whether a case's stream function fits its velocity.
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

}  // namespace kumiko::amr
