// How far the flow carries what is in a patch.
#pragma once

namespace kumiko::amr {

/// In points of the patch's level.
struct PatchMotion {
  double cfl = 0.0;        ///< CFL number of the step that was prepared last
  double travelled = 0.0;  ///< sum of the CFL numbers of the steps since the latest regrid
};

}  // namespace kumiko::amr
