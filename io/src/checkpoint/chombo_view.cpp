#include <array>
#include <vector>

#include <kumiko/amr/mesh.hpp>

#include "checkpoint/checkpoint_views.hpp"
#include "checkpoint/record_codec.hpp"

namespace kumiko::io {

namespace {

using hdf5::Object;

constexpr std::array<const char*, 2> kPair = {"intvecti", "intvectj"};

void write_header(const Object& file, const Contents& contents) {
  set_attribute(file, "filetype", "VanillaAMRFileType");
  set_attribute(file, "iteration", static_cast<std::int32_t>(contents.checkpoint.run.step));
  set_attribute(file, "time", contents.checkpoint.attributes.time);
  set_attribute(file, "num_levels", contents.mesh().levels());
  set_attribute(file, "max_level", contents.mesh().levels() - 1);
  const std::vector<std::string>& names = contents.names();
  set_attribute(file, "num_components", static_cast<std::int32_t>(names.size()));
  for (std::size_t at = 0; at < names.size(); ++at) {
    const std::string name = "component_" + std::to_string(at);
    set_attribute(file, name.c_str(), names[at]);
  }
  const Object global = hdf5::make_group(file, "Chombo_global");
  set_attribute(global, "SpaceDim", 2);
  set_attribute(global, "testReal", 0.0);
}

void write_level_attributes(const Object& group, const Contents& contents, int level,
                            const Object& box_type) {
  const RunAttributes& run = contents.checkpoint.attributes;
  const amr::Geometry& geometry = contents.geometry;
  set_attribute(group, "dx", geometry.spacing(level));
  set_attribute(group, "dt", run.dt / static_cast<double>(run.subcycling ? 1 << level : 1));
  set_attribute(group, "time", run.time);
  set_attribute(group, "ref_ratio", amr::kRefinementRatio);
  const Corners domain = {0, 0, geometry.points_x(level) - 1, geometry.points_y(level) - 1};
  set_attribute(group, "prob_domain", box_type, domain.data());
}

void write_record_attributes(const Object& group, std::size_t components) {
  const Object pair = hdf5::make_integers_type(kPair);
  constexpr std::array<std::int32_t, 2> kNone = {0, 0};
  const Object attributes = hdf5::make_group(group, "data_attributes");
  set_attribute(attributes, "comps", static_cast<std::int32_t>(components));
  set_attribute(attributes, "objectType", "FArrayBox");
  set_attribute(attributes, "ghost", pair, kNone.data());
  set_attribute(attributes, "outputGhost", pair, kNone.data());
}

/// The boxes of the level's patches, their process (always 0), and where their records start.
void write_boxes(const Object& group, std::span<const amr::PatchId> ids, std::size_t record,
                 const Object& box_type) {
  std::vector<Corners> boxes;
  std::vector<std::int64_t> offsets = {0};
  for (const amr::PatchId& id : ids) {
    const amr::Box<2> box = amr::box_of(id);
    boxes.push_back({box.begin[0], box.begin[1], box.end[0] - 1, box.end[1] - 1});
    offsets.push_back(static_cast<std::int64_t>(boxes.size() * record));
  }
  const std::vector<std::int32_t> processors(ids.size(), 0);
  hdf5::write_dataset(group, "boxes", box_type.id(), hdf5::make_space({ids.size()}), boxes.data());
  hdf5::write_list(group, "Processors", processors);
  hdf5::write_list(group, "data:offsets=0", offsets);
}

/// Gives the library a level's records as chunks that its filters have nothing to do with any more.
std::vector<Chunk> write_chunks(const Object& file, const hdf5::Capture& capture,
                                const Contents& contents, int level) {
  const std::size_t patches = contents.mesh().size(level);
  const hsize_t record = contents.record_size();
  const Object dataset = hdf5::make_dataset(file, records_path(level), H5T_IEEE_F64LE,
                                            hdf5::make_space({patches * record}),
                                            hdf5::make_packed_properties(record));
  std::vector<Chunk> chunks;
  for (std::size_t slot = 0; slot < patches; ++slot) {
    const std::vector<std::byte> packed = pack(contents.run().record(level, slot));
    const hsize_t first = slot * record;
    hdf5::require(
        H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 0, &first, packed.size(), packed.data()));
    chunks.push_back({capture.latest_values(), packed.size()});
  }
  return chunks;
}

}  // namespace

Room reserve(const Object& parent, const std::string& name, hid_t type, std::size_t values) {
  const Object properties = hdf5::make_dataset_properties();
  hdf5::require(H5Pset_layout(properties.id(), H5D_CONTIGUOUS));
  hdf5::require(H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY));
  hdf5::require(H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER));
  const Object dataset =
      hdf5::make_dataset(parent, name, type, hdf5::make_space({values}), properties);
  const haddr_t offset = H5Dget_offset(dataset.id());
  if (offset == HADDR_UNDEF) throw hdf5::Error("the HDF5 library allocated no space for a dataset");
  return offset;
}

std::vector<Records> write_chombo_view(const Object& file, const hdf5::Capture& capture,
                                       const Contents& contents) {
  const Object box_type = hdf5::make_integers_type(kCornerNames);
  std::vector<Records> records;
  write_header(file, contents);
  const std::size_t record = contents.record_size();
  for (int level = 0; level < contents.mesh().levels(); ++level) {
    const Object group = hdf5::make_group(file, "level_" + std::to_string(level));
    write_level_attributes(group, contents, level, box_type);
    write_record_attributes(group, contents.names().size());
    write_boxes(group, contents.mesh().ids(level), record, box_type);
    if (contents.compression == Compression::kDeflate) {
      records.push_back({0, write_chunks(file, capture, contents, level)});
    } else {
      const std::size_t values = contents.mesh().size(level) * record;
      records.push_back({reserve(file, records_path(level), H5T_IEEE_F64LE, values), {}});
    }
  }
  return records;
}

}  // namespace kumiko::io
