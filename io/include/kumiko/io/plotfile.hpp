// Writes a state in AMReX's format, which viewers of block-structured meshes can read.
#pragma once

#include <filesystem>

#include <kumiko/io/checkpoint.hpp>

namespace kumiko::io {

/// Writes a two-dimensional plotfile: a folder with `Header`, and for each level `Level_L/Cell_H`
/// and `Level_L/Cell_D_00000`, 64-bit values. ParaView requires a name that begins with `plt`. All
/// patches are written; readers hide the parts that finer patches cover. Node (i, j) of a level is
/// stored as the cell whose lower-left corner it is. Only the field is written, without extras.
///
/// The folder gets its name when it is complete. Throws OutputError, also if the name exists
/// already, and std::invalid_argument if the number of names differs from that of components, or if
/// patches do not fit the grid.
void write_plotfile(const std::filesystem::path& folder, const StoredState& state);

}  // namespace kumiko::io
