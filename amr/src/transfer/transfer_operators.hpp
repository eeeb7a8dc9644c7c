// The transfer operators of a centring, chosen once for a run.
#pragma once

#include "transfer/cell_transfer.hpp"
#include "transfer/transfer.hpp"

namespace kumiko::amr {

/// How values pass between a patch and its children.
struct TransferOperators {
  /// Fills the interior of `fine`, which covers a quadrant of its parent.
  void (*prolong)(ConstPatchView parent, int quadrant, PatchView fine);
  /// Fills the quadrant of the parent that a child covers.
  void (*restrict_onto)(ConstPatchView fine, int quadrant, PatchView parent);
};

/// Cubic interpolation and injection for nodes, conservative operators for cells.
inline TransferOperators transfer_operators(Centring centring) {
  if (centring == Centring::kCell) return {prolong_cells, restrict_cells};
  return {prolong, restrict_onto};
}

}  // namespace kumiko::amr
