// The state of a run in one HDF5 file that pictures can be made of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::io {

/// What a state file says beside the field.
struct StateAttributes {
  std::int64_t step = 0;
  double time = 0.0;
  double dt = 0.0;                           ///< of a base step
  std::string configuration;                 ///< effective, as TOML
  std::vector<std::string> component_names;  ///< one for each component, all different
};

/// Writes the current state of every patch, ghosts left out. The name should end in `.hdf`, which
/// ParaView asks for. One file, three views:
///
/// - `/level_L/data:datatype=0`, with what stands beside it, is Chombo's format (yt, VisIt): all
///   patches of level L in canonical order, each a record [component][j][i]. Contiguous, allocated
///   early.
/// - `/VTKHDF` is an OverlappingAMR of the leaf points alone (ParaView 5.11, VTK 9.2 and newer),
///   since these readers draw covered cells of flat grids: virtual datasets over the records, in
///   boxes of 16×16 cells, or 8×8 for the quadrants of partly covered patches. Its levels start at
///   the coarsest that has leaf points. Flat grids are one cell thick, equally on all levels.
/// - `/kumiko` holds step, time, dt, the effective configuration and the versions of the layout and
///   of the program.
///
/// Node (i, j) of a level is stored as the cell whose lower-left corner it is: readers of cells
/// show the field half a spacing of its level up and to the right. Attributes of `/kumiko` say so.
///
/// The file is put together in memory, which takes twice its size for a moment. It has its name
/// when it is whole and on the disk. Throws OutputError, a std::runtime_error, with file and cause;
/// what had the name before is then as it was. Throws std::invalid_argument when the names do not
/// fit the components. The HDF5 library must not be left by a lightweight thread that is suspended,
/// and needs some 16 KiB of stack: call this from an ordinary thread.
void write_state(const std::filesystem::path& file, const amr::Hierarchy& hierarchy,
                 const StateAttributes& attributes);

}  // namespace kumiko::io
