#include <algorithm>
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

/// 0 for whole patches, 1 to 4 for the quadrants.
int shape_of(const LeafBlock& block) {
  if (block.size == amr::kPatchSize) return 0;
  return 1 + (block.i0 + 2 * block.j0) / amr::kQuadrantSize;
}

/// The leaf blocks of a level, equal shapes together, in canonical order within.
std::vector<LeafBlock> blocks_by_shape(const amr::Hierarchy& hierarchy, int level) {
  std::vector<LeafBlock> blocks = hierarchy.leaf_blocks(level);
  std::stable_sort(blocks.begin(), blocks.end(), [](const LeafBlock& a, const LeafBlock& b) {
    return shape_of(a) < shape_of(b);
  });
  return blocks;
}

/// Values of one component in a level's records that one hyperslab selects: a run of whole patches
/// whose records follow each other, or a quadrant.
struct Piece {
  int shape;
  hsize_t first;
  hsize_t stride;
  hsize_t count;
  hsize_t block;
};

std::vector<Piece> pieces_of(const std::vector<LeafBlock>& blocks, const amr::Hierarchy& hierarchy,
                             int component) {
  const auto record = static_cast<hsize_t>(hierarchy.shape().components * amr::kPatchPoints);
  std::vector<Piece> pieces;
  for (const LeafBlock& block : blocks) {
    const amr::PatchId& id = block.patch->id();
    const auto slot = static_cast<hsize_t>(hierarchy.level(id.level).find(id));
    const int offset = component * amr::kPatchPoints + block.j0 * amr::kPatchSize + block.i0;
    const hsize_t first = slot * record + static_cast<hsize_t>(offset);
    const int shape = shape_of(block);
    if (shape != 0) {
      pieces.push_back({shape, first, amr::kPatchSize, amr::kQuadrantSize, amr::kQuadrantSize});
    } else if (!pieces.empty() && first == pieces.back().first + pieces.back().count * record) {
      ++pieces.back().count;
    } else {
      pieces.push_back({shape, first, record, 1, amr::kPatchPoints});
    }
  }
  return pieces;
}

/// Makes a dataset of one component of the leaf points, block after block, whose values stay where
/// they are. A mapping joins up to kPiecesPerMapping pieces of one shape: readers that fetch box
/// by box spend time in proportion to the mappings, and HDF5 1.10 reads a whole dataset in a time
/// that grows with the square of a mapping's pieces. Joined, the pieces keep their order, since
/// pieces of one shape do not interleave.
void write_virtual_field(const Object& group, const std::string& name, const Object& records,
                         const std::string& path, hsize_t leaves,
                         const std::vector<Piece>& pieces) {
  constexpr std::size_t kPiecesPerMapping = 128;
  const Object properties = hdf5::make_properties(H5P_DATASET_CREATE);
  const Object field = hdf5::make_space({&leaves, 1});
  hsize_t mapped = 0;
  for (std::size_t at = 0; at < pieces.size();) {
    const std::size_t begin = at;
    hsize_t points = 0;
    while (at < pieces.size() && at < begin + kPiecesPerMapping &&
           pieces[at].shape == pieces[begin].shape) {
      const Piece& piece = pieces[at];
      hdf5::require(H5Sselect_hyperslab(records.id(), at == begin ? H5S_SELECT_SET : H5S_SELECT_OR,
                                        &piece.first, &piece.stride, &piece.count, &piece.block));
      points += piece.count * piece.block;
      ++at;
    }
    hdf5::require(
        H5Sselect_hyperslab(field.id(), H5S_SELECT_SET, &mapped, nullptr, &points, nullptr));
    hdf5::require(H5Pset_virtual(properties.id(), field.id(), ".", path.c_str(), records.id()));
    mapped += points;
  }
  const Object dataset(H5Dcreate2(group.id(), name.c_str(), H5T_IEEE_F64LE, field.id(), H5P_DEFAULT,
                                  properties.id(), H5P_DEFAULT),
                       H5Dclose);
}

void write_level(const Object& group, const amr::Hierarchy& hierarchy, int level,
                 const std::vector<LeafBlock>& blocks, const std::vector<std::string>& names) {
  // Readers draw the coarser levels over the finer ones where they are thicker.
  const double spacing = hierarchy.geometry().spacing(level);
  const std::array<double, 3> spacings = {spacing, spacing, hierarchy.geometry().spacing(0)};
  set_attribute(group, "Spacing", spacings);
  std::vector<VtkBox> boxes;
  hsize_t leaves = 0;
  for (const LeafBlock& block : blocks) {
    boxes.push_back(vtk_box(block));
    leaves += static_cast<hsize_t>(block.size * block.size);
  }
  const std::array<hsize_t, 2> extents = {boxes.size(), VtkBox{}.size()};
  hdf5::write_dataset(group, "AMRBox", H5T_NATIVE_INT32, extents, boxes.data());
  // Readers look for all three groups.
  hdf5::make_group(group, "PointData");
  hdf5::make_group(group, "FieldData");
  const Object cells = hdf5::make_group(group, "CellData");
  const hsize_t values = hierarchy.level(level).size() * names.size() * amr::kPatchPoints;
  const Object records = hdf5::make_space({&values, 1});
  for (std::size_t component = 0; component < names.size(); ++component) {
    write_virtual_field(cells, names[component], records, records_path(level), leaves,
                        pieces_of(blocks, hierarchy, static_cast<int>(component)));
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
  int shown = 0;
  for (int level = 0; level < hierarchy.used_levels(); ++level) {
    const std::vector<LeafBlock> blocks = blocks_by_shape(hierarchy, level);
    if (blocks.empty()) continue;  // readers crash on a level without boxes
    write_level(hdf5::make_group(root, "Level" + std::to_string(shown)), hierarchy, level, blocks,
                attributes.component_names);
    ++shown;
  }
}

}  // namespace kumiko::io
