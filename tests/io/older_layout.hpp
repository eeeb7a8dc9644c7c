// Files as earlier versions wrote them, by docs/reference/files.md, "Earlier layouts".
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <kumiko/io/checkpoint.hpp>

#include "hdf5/hdf5_object.hpp"
#include "hdf5/seal.hpp"

namespace kumiko::io::test {

namespace older {

template <class Number, class Get>
void write_column(const hdf5::Object& group, const char* name, hid_t type, std::size_t length,
                  Get get) {
  std::vector<Number> values;
  for (std::size_t at = 0; at < length; ++at) values.push_back(static_cast<Number>(get(at)));
  hdf5::write_dataset(group, name, type, hdf5::make_space({length}), values.data());
}

inline void write_counters(const hdf5::Object& group, const amr::WorkCounters& counters) {
  const std::vector<amr::WorkerLoad>& loads = counters.workers;
  const auto write_integers = [&](const char* name, std::size_t length, auto get) {
    write_column<std::int64_t>(group, name, H5T_NATIVE_INT64, length, get);
  };
  const auto write_amounts = [&](const char* name, std::size_t length, auto get) {
    write_column<double>(group, name, H5T_NATIVE_DOUBLE, length, get);
  };
  set_attribute(group, "sum_of_largest", static_cast<std::int64_t>(counters.sum_of_largest));
  set_attribute(group, "sum_of_means", counters.sum_of_means);
  write_integers("updates", loads.size(), [&](auto at) { return loads[at].updates; });
  write_integers("steals", loads.size(), [&](auto at) { return loads[at].steals; });
  write_amounts("busy_s", loads.size(), [&](auto at) { return loads[at].busy_s; });
  write_amounts("wait_s", loads.size(), [&](auto at) { return loads[at].wait_s; });
  const std::vector<amr::PatchWait>& waits = counters.longest_waits;
  write_amounts("wait_seconds", waits.size(), [&](auto at) { return waits[at].seconds; });
  write_integers("waits", 9 * waits.size(), [&](auto at) {
    const amr::PatchWait& wait = waits[at / 9];
    return std::array{wait.step,          wait.worker,    static_cast<int>(wait.cause),
                      wait.patch.level,   wait.patch.i,   wait.patch.j,
                      wait.awaited.level, wait.awaited.i, wait.awaited.j}[at % 9];
  });
}

inline void put_sidecar_in(const hdf5::Object& group, const Checkpoint& checkpoint,
                           const std::string& configuration) {
  const hdf5::Object counters(H5Gopen2(group.id(), "counters", H5P_DEFAULT), H5Gclose);
  set_attribute(group, "version", checkpoint.sidecar->origin.version);
  set_attribute(group, "next_check", std::int64_t{checkpoint.run.next_check});
  set_attribute(group, "wall_s", checkpoint.sidecar->wall_s);
  hdf5::require(H5Ldelete(group.id(), "configuration", H5P_DEFAULT));
  hdf5::write_text(group, "configuration", configuration);
  write_counters(counters, checkpoint.run.counters);
}

/// Seals a file that has no seal.
inline void seal(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const Extent all{0, bytes.size(), hash_of(std::as_bytes(std::span(bytes)))};
  std::ofstream(file, std::ios::binary | std::ios::app) << make_seal({&all, 1});
}

inline void remove(const hdf5::Object& group, const std::string& name) {
  hdf5::require(H5Ldelete(group.id(), name.c_str(), H5P_DEFAULT));
}

/// Turns what layout 5 says of each component, and of each patch's way, into that of layout 4.
inline void make_layout_4(const hdf5::Object& group, const Checkpoint& checkpoint) {
  double scale = 0.0;
  for (const amr::FieldScale& of : checkpoint.run.scales) scale = std::max(scale, of.now);
  ComponentMass sum;
  for (const ComponentMass& of : checkpoint.attributes.initial_masses) {
    sum.mass += of.mass;
    sum.absolute += of.absolute;
  }
  remove(group, "indicator_scales");
  remove(group, "initial_masses");
  for (int level = 0; level < checkpoint.run.mesh.levels(); ++level) {
    remove(group, "level_" + std::to_string(level) + "/travelled");
  }
  set_attribute(group, "indicator_scale", scale);
  set_attribute(group, "initial_mass", sum.mass);
  set_attribute(group, "initial_absolute_mass", sum.absolute);
}

}  // namespace older

/// Turns the file of a checkpoint into one of layout 3 or 4.
/// \param checkpoint  what was read from it and its sidecar, which may go then for layout 3
/// \param configuration  all keys, as TOML
inline void make_older(const std::filesystem::path& file, const Checkpoint& checkpoint,
                       const std::string& configuration, std::int32_t layout = 3) {
  using hdf5::Object;
  {
    // The library cuts the seal off.
    const Object whole(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const Object group(H5Gopen2(whole.id(), "/kumiko", H5P_DEFAULT), H5Gclose);
    hdf5::require(H5Adelete(group.id(), "layout_version"));
    set_attribute(group, "layout_version", layout);
    older::make_layout_4(group, checkpoint);
    if (layout == 3) older::put_sidecar_in(group, checkpoint, configuration);
  }
  older::seal(file);
}

}  // namespace kumiko::io::test
