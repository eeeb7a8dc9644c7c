// Computes what a picture shows of a saved state, value by value.
#pragma once

#include <vector>

#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/viz/state_image.hpp>

namespace kumiko::viz {

/// One component of a state's records.
class StateValues {
 public:
  /// Throws std::invalid_argument when the state lacks the quantity.
  StateValues(const amr::SavedRun& state, Quantity quantity, int component);

  int levels() const { return static_cast<int>(state_.levels.size()); }
  const amr::SavedLevel& level(int index) const {
    return state_.levels[static_cast<std::size_t>(index)];
  }
  /// The value at point (i, j) of a patch.
  double at(int level, std::size_t slot, int i, int j) const;
  /// Whether the level has this patch. O(log patches).
  bool has(const amr::PatchId& id) const;

  /// The leaf points of a level in canonical order.
  std::vector<amr::LeafBox<2>> leaves(int level) const;

  /// The range of the finite leaf values; low is above high where there are none.
  Range extremes() const;

 private:
  const amr::SavedRun& state_;
  std::size_t record_;  ///< values
  std::size_t offset_;  ///< of the component in a record
};

}  // namespace kumiko::viz
