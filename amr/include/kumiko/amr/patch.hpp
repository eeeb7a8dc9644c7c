// One patch: its data at two times, its solver coefficients and its fluxes.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <kumiko/amr/face_fluxes.hpp>
#include <kumiko/amr/patch_id.hpp>
#include <kumiko/amr/patch_view.hpp>

namespace kumiko::amr {

/// Shape of every patch of a hierarchy.
struct PatchShape {
  int components = 1;
  int ghosts = 1;
  std::size_t coefficients = 0;  ///< solver coefficients per patch
  bool flux_form = false;        ///< whether patches keep fluxes for refluxing

  std::size_t field_values() const { return PatchView::size(components, ghosts); }
  std::size_t flux_values() const {
    return flux_form ? FaceFluxes::size(components) + FluxRegister::size(components) : 0;
  }
  /// The number of all values of a patch: now, next, coefficients, fluxes.
  std::size_t total_values() const { return 2 * field_values() + coefficients + flux_values(); }
};

/// Which of a patch's two states.
enum class State { kNow, kNext };

/// Data of regridding for each patch; a part of the run's state, like the patch's values.
struct RegridHistory {
  int since = 0;     ///< base step at which the patch was created
  int unwanted = 0;  ///< regrids in a row, up to the last one, at which no tag required it
};

/// Owned by a Level, in memory of the hierarchy's pool. Double-buffered in time: `now` is the state
/// at the level's time, and `next` is the other one. During base steps the states alternate between
/// the two, beginning with `now`.
class Patch {
 public:
  Patch(const PatchId& id, const PatchShape& shape, double* memory)
      : id_(id),
        shape_(shape),
        now_(memory),
        next_(memory + shape.field_values()),
        coefficients_(memory + 2 * shape.field_values()),
        memory_(memory) {}

  const PatchId& id() const { return id_; }
  PatchView now() { return {now_, shape_.components, shape_.ghosts}; }
  ConstPatchView now() const { return {now_, shape_.components, shape_.ghosts}; }
  PatchView next() { return {next_, shape_.components, shape_.ghosts}; }
  ConstPatchView next() const { return {next_, shape_.components, shape_.ghosts}; }
  PatchView state(State which) { return which == State::kNow ? now() : next(); }
  ConstPatchView state(State which) const { return which == State::kNow ? now() : next(); }
  /// Makes the next state the current one.
  void swap_states() { std::swap(now_, next_); }

  std::span<double> coefficients() { return {coefficients_, shape_.coefficients}; }
  std::span<const double> coefficients() const { return {coefficients_, shape_.coefficients}; }

  /// Fluxes of the patch's latest step. Only if the shape has flux_form; so is flux_register().
  FaceFluxes fluxes() const { return {coefficients_ + shape_.coefficients, shape_.components}; }
  /// Sums of the fluxes through the patch's sides over the coarse step.
  FluxRegister flux_register() const {
    return {coefficients_ + shape_.coefficients + FaceFluxes::size(shape_.components),
            shape_.components};
  }

  /// The memory block from the pool; for the hierarchy only.
  double* memory() const { return memory_; }

 private:
  PatchId id_;
  PatchShape shape_;
  double* now_;
  double* next_;
  double* coefficients_;
  double* memory_;
};

}  // namespace kumiko::amr
