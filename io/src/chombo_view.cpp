#include <array>
#include <vector>

#include "state_views.hpp"

namespace kumiko::io {

namespace {

using hdf5::Object;

/// Corners of a box of cells, inclusive, as Chombo stores them.
using Corners = std::array<std::int32_t, 4>;
constexpr std::array<const char*, 4> kCorners = {"lo_i", "lo_j", "hi_i", "hi_j"};
constexpr std::array<const char*, 2> kPair = {"intvecti", "intvectj"};

Corners corners(const amr::PatchId& id) {
  const int i = id.i * amr::kPatchSize;
  const int j = id.j * amr::kPatchSize;
  return {i, j, i + amr::kPatchSize - 1, j + amr::kPatchSize - 1};
}

void write_header(const Object& file, const amr::Hierarchy& hierarchy,
                  const StateAttributes& attributes) {
  set_attribute(file, "filetype", "VanillaAMRFileType");
  set_attribute(file, "iteration", static_cast<std::int32_t>(attributes.step));
  set_attribute(file, "time", attributes.time);
  set_attribute(file, "num_levels", hierarchy.used_levels());
  set_attribute(file, "max_level", hierarchy.used_levels() - 1);
  set_attribute(file, "num_components", hierarchy.shape().components);
  for (std::size_t at = 0; at < attributes.component_names.size(); ++at) {
    const std::string name = "component_" + std::to_string(at);
    set_attribute(file, name.c_str(), attributes.component_names[at]);
  }
  const Object global = hdf5::make_group(file, "Chombo_global");
  set_attribute(global, "SpaceDim", 2);
  set_attribute(global, "testReal", 0.0);
}

void write_level_attributes(const Object& group, const amr::Geometry& geometry, int level,
                            const StateAttributes& attributes, const Object& box_type) {
  set_attribute(group, "dx", geometry.spacing(level));
  set_attribute(group, "dt", attributes.dt / static_cast<double>(1 << level));
  set_attribute(group, "time", attributes.time);
  set_attribute(group, "ref_ratio", amr::kRefinementRatio);
  const Corners domain = {0, 0, geometry.points_x(level) - 1, geometry.points_y(level) - 1};
  set_attribute(group, "prob_domain", box_type, domain.data());
}

void write_record_attributes(const Object& group, int components) {
  const Object pair = hdf5::make_integers_type(kPair);
  constexpr std::array<std::int32_t, 2> kNone = {0, 0};
  const Object attributes = hdf5::make_group(group, "data_attributes");
  set_attribute(attributes, "comps", components);
  set_attribute(attributes, "objectType", "FArrayBox");
  set_attribute(attributes, "ghost", pair, kNone.data());
  set_attribute(attributes, "outputGhost", pair, kNone.data());
}

/// The boxes of the level's patches, who owns them (one process), where their records start.
void write_boxes(const Object& group, const amr::Level& level, std::size_t record,
                 const Object& box_type) {
  std::vector<Corners> boxes;
  std::vector<std::int64_t> offsets = {0};
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    boxes.push_back(corners(level.patch(slot).id()));
    offsets.push_back(static_cast<std::int64_t>((slot + 1) * record));
  }
  const std::vector<std::int32_t> processors(level.size(), 0);
  const hsize_t patches = level.size();
  const hsize_t ends = patches + 1;
  hdf5::write_dataset(group, "boxes", box_type.id(), {&patches, 1}, boxes.data());
  hdf5::write_dataset(group, "Processors", H5T_NATIVE_INT32, {&patches, 1}, processors.data());
  hdf5::write_dataset(group, "data:offsets=0", H5T_NATIVE_INT64, {&ends, 1}, offsets.data());
}

Object make_records(const Object& file, int level, hsize_t values) {
  const Object properties = hdf5::make_properties(H5P_DATASET_CREATE);
  hdf5::require(H5Pset_layout(properties.id(), H5D_CONTIGUOUS));
  hdf5::require(H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY));
  hdf5::require(H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER));
  const Object space = hdf5::make_space({&values, 1});
  return {H5Dcreate2(file.id(), records_path(level).c_str(), H5T_IEEE_F64LE, space.id(),
                     H5P_DEFAULT, properties.id(), H5P_DEFAULT),
          H5Dclose};
}

/// Copies a patch's points, without ghosts, as they stand in its record.
void fill_record(const amr::Patch& patch, int components, double* record) {
  for (int component = 0; component < components; ++component) {
    Eigen::Map<amr::FieldArray>(record + component * amr::kPatchPoints, amr::kPatchSize,
                                amr::kPatchSize) = patch.now().interior(component);
  }
}

void write_records(const Object& dataset, const amr::Level& level, int components) {
  const hsize_t size = static_cast<hsize_t>(components) * amr::kPatchPoints;
  const hsize_t all = level.size() * size;
  const Object place = hdf5::make_space({&all, 1});
  const Object memory = hdf5::make_space({&size, 1});
  std::vector<double> record(size);
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    fill_record(level.patch(slot), components, record.data());
    const hsize_t start = slot * size;
    hdf5::require(H5Sselect_hyperslab(place.id(), H5S_SELECT_SET, &start, nullptr, &size, nullptr));
    hdf5::require(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, memory.id(), place.id(), H5P_DEFAULT,
                           record.data()));
  }
}

}  // namespace

void write_chombo_view(const Object& file, const amr::Hierarchy& hierarchy,
                       const StateAttributes& attributes) {
  const Object box_type = hdf5::make_integers_type(kCorners);
  const int components = hierarchy.shape().components;
  const std::size_t record = static_cast<std::size_t>(components) * amr::kPatchPoints;
  write_header(file, hierarchy, attributes);
  for (int index = 0; index < hierarchy.used_levels(); ++index) {
    const amr::Level& level = hierarchy.level(index);
    const Object group = hdf5::make_group(file, "level_" + std::to_string(index));
    write_level_attributes(group, hierarchy.geometry(), index, attributes, box_type);
    write_record_attributes(group, components);
    write_boxes(group, level, record, box_type);
    write_records(make_records(file, index, level.size() * record), level, components);
  }
}

}  // namespace kumiko::io
