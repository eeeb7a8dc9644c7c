#include <array>
#include <vector>

#include "state_views.hpp"

namespace kumiko::io {

namespace {

using amr::LeafBlock;
using hdf5::Object;

/// Cells of one level: first and last index along x, y and z.
using VtkBox = std::array<std::int32_t, 6>;

VtkBox vtk_box(const LeafBlock& block) {
  const int i = block.patch->id().i * amr::kPatchSize + block.i0;
  const int j = block.patch->id().j * amr::kPatchSize + block.j0;
  return {i, i + block.size - 1, j, j + block.size - 1, 0, 0};
}

/// The blocks of a level and the dataset that their values stand in.
struct LevelSource {
  std::vector<LeafBlock> blocks;
  std::vector<hsize_t> slots;  ///< of the blocks' patches
  std::string path;
  hsize_t values = 0;  ///< of the records
  hsize_t record = 0;  ///< values of one record
  hsize_t leaves = 0;
};

LevelSource level_source(const amr::Hierarchy& hierarchy, int level) {
  LevelSource source;
  source.blocks = hierarchy.leaf_blocks(level);
  source.path = records_path(level);
  source.record = static_cast<hsize_t>(hierarchy.shape().components) * amr::kPatchPoints;
  source.values = hierarchy.level(level).size() * source.record;
  for (const LeafBlock& block : source.blocks) {
    source.slots.push_back(static_cast<hsize_t>(hierarchy.level(level).find(block.patch->id())));
    source.leaves += static_cast<hsize_t>(block.size) * static_cast<hsize_t>(block.size);
  }
  return source;
}

/// Makes a dataset of one component of the leaf points, block after block, whose values stay where
/// they are: block rows of `size` values lie a patch's row apart in the record.
void write_virtual_field(const Object& group, const std::string& name, const LevelSource& source,
                         int component) {
  const Object properties = hdf5::make_properties(H5P_DATASET_CREATE);
  const Object to = hdf5::make_space({&source.leaves, 1});
  const Object from = hdf5::make_space({&source.values, 1});
  constexpr hsize_t kRow = amr::kPatchSize;
  hsize_t written = 0;
  for (std::size_t at = 0; at < source.blocks.size(); ++at) {
    const LeafBlock& block = source.blocks[at];
    const auto size = static_cast<hsize_t>(block.size);
    const hsize_t points = size * size;
    const hsize_t first =
        source.slots[at] * source.record +
        static_cast<hsize_t>(component * amr::kPatchPoints + block.j0 * amr::kPatchSize + block.i0);
    hdf5::require(H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, &first, &kRow, &size, &size));
    hdf5::require(
        H5Sselect_hyperslab(to.id(), H5S_SELECT_SET, &written, nullptr, &points, nullptr));
    hdf5::require(H5Pset_virtual(properties.id(), to.id(), ".", source.path.c_str(), from.id()));
    written += points;
  }
  const Object dataset(H5Dcreate2(group.id(), name.c_str(), H5T_IEEE_F64LE, to.id(), H5P_DEFAULT,
                                  properties.id(), H5P_DEFAULT),
                       H5Dclose);
}

void write_level(const Object& group, const LevelSource& source, double spacing, double thickness,
                 const std::vector<std::string>& names) {
  const std::array<double, 3> spacings = {spacing, spacing, thickness};
  set_attribute(group, "Spacing", spacings);
  std::vector<VtkBox> boxes;
  for (const LeafBlock& block : source.blocks) boxes.push_back(vtk_box(block));
  const std::array<hsize_t, 2> extents = {boxes.size(), VtkBox{}.size()};
  hdf5::write_dataset(group, "AMRBox", H5T_NATIVE_INT32, extents, boxes.data());
  // The readers look for all three groups.
  hdf5::make_group(group, "PointData");
  hdf5::make_group(group, "FieldData");
  const Object cells = hdf5::make_group(group, "CellData");
  for (std::size_t at = 0; at < names.size(); ++at) {
    write_virtual_field(cells, names[at], source, static_cast<int>(at));
  }
}

}  // namespace

void write_vtk_view(const Object& file, const amr::Hierarchy& hierarchy,
                    const StateAttributes& attributes) {
  constexpr std::array<std::int64_t, 2> kVersion = {1, 0};
  constexpr std::array<double, 3> kOrigin = {0.0, 0.0, 0.0};
  const Object root = hdf5::make_group(file, "VTKHDF");
  set_attribute(root, "Version", kVersion);
  set_attribute(root, "Type", "OverlappingAMR");
  set_attribute(root, "GridDescription", "XYZ");
  set_attribute(root, "Origin", kOrigin);
  // Readers crash on a level without boxes, and draw the coarser levels over the finer ones when
  // they are thicker.
  const double thickness = hierarchy.geometry().spacing(0);
  int shown = 0;
  for (int level = 0; level < hierarchy.used_levels(); ++level) {
    const LevelSource source = level_source(hierarchy, level);
    if (source.blocks.empty()) continue;
    write_level(hdf5::make_group(root, "Level" + std::to_string(shown)), source,
                hierarchy.geometry().spacing(level), thickness, attributes.component_names);
    ++shown;
  }
}

}  // namespace kumiko::io
