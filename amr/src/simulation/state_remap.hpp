// The values of a stored state on the patches of another mesh.
#pragma once

#include <span>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/initial_state.hpp>

namespace kumiko::amr {

/// Computes the values of patches from a stored state, as InitialState says. Has a copy of the
/// state's values.
class StateRemap {
 public:
  /// Reads all values of the state, and restricts them where its mesh is finer, since a file of a
  /// run's first state need not have that. Keeps references to the geometry and the case.
  /// \param target  of the mesh whose patches are to be filled
  StateRemap(const InitialState& initial, const Geometry& target, const Case& problem);

  /// Fills the values [j][i] of a component of a patch. From many threads at once.
  void fill(const PatchId& id, int component, std::span<double> values) const;

 private:
  void remap(const PatchId& id, int component, int level, std::span<double> values) const;
  const Case* sides() const;

  SavedRun run_;
  Geometry geometry_;  ///< of the state, with the case's sides
  const Geometry& target_;
  const Case& case_;
};

}  // namespace kumiko::amr
