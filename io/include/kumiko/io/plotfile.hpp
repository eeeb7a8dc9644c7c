// Writes a state in the format of AMReX, which every viewer of block-structured meshes opens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::io {

/// What a plotfile says beside the field.
struct PlotfileAttributes {
  std::int64_t step = 0;
  double time = 0.0;
  std::vector<std::string> component_names;  ///< one for each component
};

/// Writes a two-dimensional plotfile: a folder with `Header`, and for each level `Level_L/Cell_H`
/// and `Level_L/Cell_D_00000`, 64-bit values. ParaView wants a name that begins with `plt`. All
/// patches are there; readers blank what finer ones cover. Node (i, j) of a level is stored as the
/// cell whose lower-left corner it is.
///
/// The folder has its name when it is whole. Throws OutputError, also when the name is taken;
/// std::invalid_argument when the names do not fit the components.
void write_plotfile(const std::filesystem::path& folder, const amr::Hierarchy& hierarchy,
                    const PlotfileAttributes& attributes);

}  // namespace kumiko::io
