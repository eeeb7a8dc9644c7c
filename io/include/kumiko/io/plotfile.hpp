// Writes a state in the format of AMReX, which every viewer of block-structured meshes opens.
#pragma once

#include <filesystem>

#include <kumiko/io/checkpoint.hpp>

namespace kumiko::io {

/// Writes a two-dimensional plotfile: a folder with `Header`, and for each level `Level_L/Cell_H`
/// and `Level_L/Cell_D_00000`, 64-bit values. ParaView wants a name that begins with `plt`. All
/// patches are there; readers blank what finer ones cover. Node (i, j) of a level is stored as the
/// cell whose lower-left corner it is. The field alone is written, without extras.
///
/// The folder has its name when it is whole. Throws OutputError, also when the name is taken;
/// std::invalid_argument when the names do not fit the components, or the patches not the grid.
void write_plotfile(const std::filesystem::path& folder, const StoredState& state);

}  // namespace kumiko::io
