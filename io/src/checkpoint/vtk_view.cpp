#include <algorithm>
#include <array>
#include <vector>

#include <kumiko/amr/mesh.hpp>

#include "checkpoint/checkpoint_views.hpp"

namespace kumiko::io {

namespace {

using hdf5::Object;

/// Cells of one level: first and last index along x, y and z.
using VtkBox = std::array<std::int32_t, 6>;

using Block = amr::LeafBox<2>;

/// The first of a block's points in its patch's record.
int first_of(const Block& block) { return block.first[1] * amr::kPatchSize + block.first[0]; }

/// The shape of a block: 0 for whole patches, more for quadrants, in their order.
int shape_of(const Block& block) { return block.size == amr::kPatchSize ? 0 : 1 + first_of(block); }

/// The leaf blocks of a level, equal shapes together, in canonical order within.
std::vector<Block> blocks_by_shape(const amr::Mesh<2>& mesh, int level) {
  std::vector<Block> blocks = mesh.leaf_boxes(level);
  std::ranges::stable_sort(blocks, {}, shape_of);
  return blocks;
}

/// Values of one component in a level's records that one hyperslab selects: a run of whole patches
/// whose records follow each other, or a quadrant.
struct Selection {
  int shape;
  hsize_t first;
  hsize_t stride;
  hsize_t count;
  hsize_t block;
};

std::vector<Selection> selections_of(const std::vector<Block>& blocks, hsize_t record,
                                     int component) {
  std::vector<Selection> selections;
  for (const Block& block : blocks) {
    const int offset = component * amr::kPatchPoints + first_of(block);
    const hsize_t first = block.slot * record + static_cast<hsize_t>(offset);
    const int shape = shape_of(block);
    if (shape != 0) {
      selections.push_back({shape, first, amr::kPatchSize, amr::kQuadrantSize, amr::kQuadrantSize});
    } else if (!selections.empty() &&
               first == selections.back().first + selections.back().count * record) {
      ++selections.back().count;
    } else {
      selections.push_back({shape, first, record, 1, amr::kPatchPoints});
    }
  }
  return selections;
}

/// Makes a dataset of one component of the leaf points, block after block, whose values stay where
/// they are. A mapping joins up to kSelectionsPerMapping selections of one shape: readers that
/// fetch box by box spend time in proportion to the mappings, and HDF5 1.10 reads a whole dataset
/// in a time that grows with the square of a mapping's selections. Joined, the selections keep
/// their order, since selections of one shape do not interleave.
void write_virtual_field(const Object& group, const std::string& name, const Object& records,
                         const std::string& path, hsize_t leaves,
                         const std::vector<Selection>& selections) {
  constexpr std::size_t kSelectionsPerMapping = 128;
  const Object properties = hdf5::make_dataset_properties();
  const Object field = hdf5::make_space({leaves});
  hsize_t mapped = 0;
  for (std::size_t at = 0; at < selections.size();) {
    const std::size_t begin = at;
    hsize_t points = 0;
    while (at < selections.size() && at < begin + kSelectionsPerMapping &&
           selections[at].shape == selections[begin].shape) {
      const Selection& selection = selections[at];
      hdf5::require(H5Sselect_hyperslab(records.id(), at == begin ? H5S_SELECT_SET : H5S_SELECT_OR,
                                        &selection.first, &selection.stride, &selection.count,
                                        &selection.block));
      points += selection.count * selection.block;
      ++at;
    }
    hdf5::require(
        H5Sselect_hyperslab(field.id(), H5S_SELECT_SET, &mapped, nullptr, &points, nullptr));
    hdf5::require(H5Pset_virtual(properties.id(), field.id(), ".", path.c_str(), records.id()));
    mapped += points;
  }
  hdf5::make_dataset(group, name, H5T_IEEE_F64LE, field, properties);
}

void write_level(const Object& group, const Contents& contents, int level,
                 const std::vector<Block>& blocks) {
  const std::span<const amr::PatchId> ids = contents.mesh().ids(level);
  // Readers draw the coarser levels over the finer ones where they are thicker.
  const double spacing = contents.geometry.spacing(level);
  const std::array<double, 3> spacings = {spacing, spacing, contents.geometry.spacing(0)};
  set_attribute(group, "Spacing", spacings);
  std::vector<VtkBox> boxes;
  hsize_t leaves = 0;
  for (const Block& block : blocks) {
    const auto [i, j] = amr::box_of(ids[block.slot], block).begin;
    boxes.push_back({i, i + block.size - 1, j, j + block.size - 1, 0, 0});
    leaves += static_cast<hsize_t>(block.size * block.size);
  }
  hdf5::write_dataset(group, "AMRBox", H5T_NATIVE_INT32,
                      hdf5::make_space({boxes.size(), VtkBox{}.size()}), boxes.data());
  // Readers look for all three groups.
  hdf5::make_group(group, "PointData");
  hdf5::make_group(group, "FieldData");
  const Object cells = hdf5::make_group(group, "CellData");
  const hsize_t record = contents.record_size();
  const Object records = hdf5::make_space({ids.size() * record});
  int component = 0;
  for (const std::string& name : contents.names()) {
    write_virtual_field(cells, name, records, records_path(level), leaves,
                        selections_of(blocks, record, component++));
  }
}

}  // namespace

void write_vtk_view(const Object& file, const Contents& contents) {
  constexpr std::array<std::int64_t, 2> kVersion = {1, 0};
  constexpr std::array<double, 3> kOrigin = {0.0, 0.0, 0.0};
  const Object root = hdf5::make_group(file, "VTKHDF");
  set_attribute(root, "Version", kVersion);
  set_attribute(root, "Type", "OverlappingAMR");
  set_attribute(root, "GridDescription", "XYZ");
  set_attribute(root, "Origin", kOrigin);
  int shown = 0;
  for (int level = 0; level < contents.mesh().levels(); ++level) {
    const std::vector<Block> blocks = blocks_by_shape(contents.mesh(), level);
    if (blocks.empty()) continue;  // readers crash on a level without boxes
    write_level(hdf5::make_group(root, "Level" + std::to_string(shown)), contents, level, blocks);
    ++shown;
  }
}

}  // namespace kumiko::io
