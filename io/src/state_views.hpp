// The two layouts that a state file shows its levels in.
#pragma once

#include <string>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/io/hdf5_writer.hpp>

#include "hdf5_object.hpp"

namespace kumiko::io {

/// The dataset of a level's patch records: [patch][component][j][i].
inline std::string records_path(int level) {
  return "/level_" + std::to_string(level) + "/data:datatype=0";
}

/// Writes the patches of all used levels as Chombo does.
void write_chombo_view(const hdf5::Object& file, const amr::Hierarchy& hierarchy,
                       const StateAttributes& attributes);

/// Describes the leaf points for VTK, by virtual datasets over the records.
void write_vtk_view(const hdf5::Object& file, const amr::Hierarchy& hierarchy,
                    const StateAttributes& attributes);

}  // namespace kumiko::io
