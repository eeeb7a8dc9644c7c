// Computes what a picture shows of a saved state, value by value.
#pragma once

#include <cstddef>
#include <span>

#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/viz/state_image.hpp>

namespace kumiko::viz {

/// A mesh, and one component of a state's records on it.
class StateValues {
 public:
  /// Throws std::invalid_argument when the state lacks the quantity.
  StateValues(const amr::SavedRun& state, Quantity quantity, int component);

  const amr::Mesh<2>& mesh() const { return state_.mesh; }
  /// The values [j][i] of a patch.
  std::span<const double> of(int level, std::size_t slot) const {
    return state_.values(level, slot, component_);
  }
  /// The range of the finite leaf values; low is above high where there are none.
  Range extremes() const;

 private:
  const amr::SavedRun& state_;
  std::size_t component_;
};

}  // namespace kumiko::viz
