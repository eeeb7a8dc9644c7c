#include <set>
#include <stdexcept>
#include <string>

#include <fmt/core.h>

#include <kumiko/io/hdf5_writer.hpp>
#include <kumiko/io/output_folder.hpp>

#include "part_file.hpp"
#include "state_views.hpp"

namespace kumiko::io {

namespace {

using hdf5::Object;

/// Changes whenever a reader of `/kumiko` would have to.
constexpr std::int32_t kLayoutVersion = 1;

constexpr std::string_view kNodePlacement =
    "node (i, j) of a level is stored as the cell whose lower-left corner it is";

void check_names(const amr::Hierarchy& hierarchy, const std::vector<std::string>& names) {
  const auto components = static_cast<std::size_t>(hierarchy.shape().components);
  const std::set<std::string> different(names.begin(), names.end());
  if (names.size() != components || different.size() != components) {
    throw std::invalid_argument(
        fmt::format("{} different names are given for the {} components of a state",
                    different.size(), components));
  }
  for (const std::string& name : names) {
    if (name.empty() || name == "." || name.find('/') != std::string::npos) {
      throw std::invalid_argument(fmt::format("'{}' cannot be the name of a component", name));
    }
  }
}

/// Makes a file in memory. The library looks whether the name is that of an open file.
Object create_image(const std::string& name) {
  constexpr std::size_t kGrowth = std::size_t{1} << 20;
  constexpr hsize_t kAlignFrom = 16384;
  constexpr hsize_t kAlignment = 4096;  // records begin on a page
  constexpr hsize_t kMetadataBlock = 65536;
  const Object access = hdf5::make_properties(H5P_FILE_ACCESS);
  hdf5::require(H5Pset_fapl_core(access.id(), kGrowth, false));
  // The oldest formats that serve: virtual datasets need 1.10, older readers the rest.
  hdf5::require(H5Pset_libver_bounds(access.id(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V110));
  hdf5::require(H5Pset_alignment(access.id(), kAlignFrom, kAlignment));
  hdf5::require(H5Pset_meta_block_size(access.id(), kMetadataBlock));
  return {H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose};
}

void write_run(const Object& file, const StateAttributes& attributes) {
  const Object group = hdf5::make_group(file, "kumiko");
  set_attribute(group, "layout_version", kLayoutVersion);
  set_attribute(group, "version", KUMIKO_VERSION);
  set_attribute(group, "step", attributes.step);
  set_attribute(group, "time", attributes.time);
  set_attribute(group, "dt", attributes.dt);
  set_attribute(group, "centring", "node");
  set_attribute(group, "node_placement", kNodePlacement);
  hdf5::write_text(group, "configuration", attributes.configuration);
}

std::string bytes_of(const Object& file) {
  hdf5::require(H5Fflush(file.id(), H5F_SCOPE_GLOBAL));
  const ssize_t size = H5Fget_file_image(file.id(), nullptr, 0);
  hdf5::require(size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  hdf5::require(H5Fget_file_image(file.id(), bytes.data(), bytes.size()));
  return bytes;
}

/// The file's bytes. The library makes them in memory: after a write of its own that failed, on a
/// full disk say, HDF5 1.10 crashes when the process ends.
std::string make_bytes(const std::string& name, const amr::Hierarchy& hierarchy,
                       const StateAttributes& attributes) {
  const hdf5::QuietErrors quiet;
  try {
    const Object file = create_image(name + std::string(kPartSuffix));
    write_chombo_view(file, hierarchy, attributes);
    write_vtk_view(file, hierarchy, attributes);
    write_run(file, attributes);
    return bytes_of(file);
  } catch (const hdf5::Error& error) {
    throw OutputError(fmt::format("cannot write '{}': {}", name, error.what()));
  }
}

}  // namespace

void write_state(const std::filesystem::path& file, const amr::Hierarchy& hierarchy,
                 const StateAttributes& attributes) {
  check_names(hierarchy, attributes.component_names);
  write_text_file(file, make_bytes(file.string(), hierarchy, attributes));
}

}  // namespace kumiko::io
