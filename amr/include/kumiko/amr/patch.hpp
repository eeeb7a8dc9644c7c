// One patch: its data at two times, its solver coefficients and where its ghosts come from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <kumiko/amr/patch_id.hpp>
#include <kumiko/amr/patch_view.hpp>

namespace kumiko::amr {

/// Shape of every patch of a hierarchy.
struct PatchShape {
  int components = 1;
  int ghosts = 1;
  std::size_t coefficients = 0;  ///< solver coefficients per patch

  std::size_t field_values() const { return PatchView::size(components, ghosts); }
  /// Values of a patch in all: now, next, coefficients.
  std::size_t total_values() const { return 2 * field_values() + coefficients; }
};

/// Where the ghosts on one side (or corner) of a patch come from.
struct GhostSource {
  enum class Kind : std::uint8_t {
    kSibling,  ///< a patch of the same level
    kCoarse,   ///< the patch of the level below that covers the neighbour's place
    kOutside   ///< beyond the domain
  };
  Kind kind = Kind::kOutside;
  std::uint8_t quadrant = 0;  ///< of the coarse patch, for kCoarse
  PatchId source;             ///< the patch read, unless kOutside
  std::int32_t slot = -1;     ///< its position within its level
};

/// Owned by a Level, in memory of the hierarchy's pool.
/// Double-buffered in time: `now` is the state at the level's time, `next` is the one being made.
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
  /// Makes the next state the current one.
  void swap_states() { std::swap(now_, next_); }

  std::span<double> coefficients() { return {coefficients_, shape_.coefficients}; }
  std::span<const double> coefficients() const { return {coefficients_, shape_.coefficients}; }

  /// Ghost sources in the order of kDirections; set by the hierarchy.
  std::array<GhostSource, 8> ghost_sources;
  /// Slots of the children on the level above by quadrant, -1 where the quadrant is a leaf.
  std::array<std::int32_t, 4> children = {-1, -1, -1, -1};

  bool has_children() const {
    return children[0] >= 0 || children[1] >= 0 || children[2] >= 0 || children[3] >= 0;
  }
  /// The block that the pool gave; for the hierarchy only.
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
