#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <kumiko/io/checkpoint.hpp>

#include "checkpoint_views.hpp"
#include "record_codec.hpp"
#include "seal.hpp"

namespace kumiko::io {

namespace {

using hdf5::Object;

constexpr const char* kRun = "/kumiko";
constexpr const char* kCounters = "/kumiko/counters";
constexpr int kMostComponents = 64;
constexpr int kMostLevels = 8;
constexpr std::size_t kMostWorkers = 4096;

template <class Number>
hid_t type_of() {
  if constexpr (std::is_same_v<Number, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<Number, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<Number, std::uint64_t>) return H5T_NATIVE_UINT64;
}

/// An open checkpoint, of which nothing is believed: what it says is checked before there is memory
/// for it. Throws CheckpointError, and hdf5::Error what the library throws.
class Source {
 public:
  explicit Source(const std::filesystem::path& file)
      : name_(file.string()), bytes_(std::filesystem::file_size(file)), file_(open(name_)) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw CheckpointError(fmt::format("'{}' {}", name_, why));
  }

  template <class Number>
  Number number(const std::string& object, const char* name) const {
    const Object attribute = open_attribute(object, name);
    Number value{};
    hdf5::require(H5Aread(attribute.id(), type_of<Number>(), &value));
    return value;
  }
  int integer(const std::string& object, const char* name) const {
    return to_int(number<std::int64_t>(object, name), name);
  }
  int to_int(std::int64_t value, const std::string& name) const {
    if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
      refuse(odd(name));
    }
    return static_cast<int>(value);
  }

  bool has(const std::string& path) const {
    return H5Lexists(file_.id(), path.c_str(), H5P_DEFAULT) > 0;
  }

  /// All of a dataset of one dimension.
  template <class Number>
  std::vector<Number> list(const std::string& path) const {
    const Object dataset = open_dataset(path);
    std::vector<Number> values(count(dataset, path, sizeof(Number)));
    read(dataset, type_of<Number>(), values.data());
    return values;
  }
  /// The same, of a length that others say too.
  template <class Number>
  std::vector<Number> list(const std::string& path, std::size_t length) const {
    std::vector<Number> values = list<Number>(path);
    if (values.size() != length) {
      refuse(fmt::format("holds {} values in '{}', not {}", values.size(), path, length));
    }
    return values;
  }

  /// Records that are compressed, by their places in the file: the library is not made for chunks
  /// that lie. No more bytes are read than the file has, whatever the places say.
  std::vector<double> unpacked(const std::string& chunks, std::size_t patches, std::size_t record) {
    const auto places = list<std::int64_t>(chunks, 2 * patches);
    std::ifstream file(name_, std::ios::binary);
    std::vector<double> values;
    std::vector<double> one(record);
    std::vector<std::byte> packed;
    for (std::size_t at = 0; at < places.size(); at += 2) {
      const auto length = static_cast<std::uint64_t>(places[at + 1]);
      if (places[at] < 0 || length > unread_) refuse(odd(chunks));
      unread_ -= length;
      packed.resize(length);
      file.seekg(places[at]);
      file.read(reinterpret_cast<char*>(packed.data()), static_cast<std::streamsize>(length));
      if (!file || !unpack(packed, one)) refuse(odd(chunks));
      values.insert(values.end(), one.begin(), one.end());
    }
    return values;
  }

  std::vector<amr::PatchId> patches(int level) const {
    constexpr std::size_t kCorners = 4;
    using Corners = std::array<std::int32_t, kCorners>;
    constexpr std::array<const char*, kCorners> kNames = {"lo_i", "lo_j", "hi_i", "hi_j"};
    const std::string path = fmt::format("/level_{}/boxes", level);
    const Object dataset = open_dataset(path);
    std::vector<Corners> boxes(count(dataset, path, sizeof(Corners)));
    const Object type = hdf5::make_integers_type(kNames);
    read(dataset, type.id(), boxes.data());
    std::vector<amr::PatchId> ids;
    ids.reserve(boxes.size());
    for (const auto& [i, j, last_i, last_j] : boxes) {
      constexpr std::int64_t kLast = amr::kPatchSize - 1;
      if (i % amr::kPatchSize != 0 || j % amr::kPatchSize != 0 || last_i != i + kLast ||
          last_j != j + kLast) {
        refuse(odd(path));
      }
      ids.push_back({level, i / amr::kPatchSize, j / amr::kPatchSize});
    }
    return ids;
  }

  /// The four corners that an attribute holds.
  std::array<std::int32_t, 4> corners(const std::string& object, const char* name) const {
    constexpr std::array<const char*, 4> kNames = {"lo_i", "lo_j", "hi_i", "hi_j"};
    const Object attribute = open_attribute(object, name);
    const Object type = hdf5::make_integers_type(kNames);
    std::array<std::int32_t, 4> values{};
    hdf5::require(H5Aread(attribute.id(), type.id(), values.data()));
    return values;
  }

  std::string text(const std::string& path) const {
    const Object dataset = open_dataset(path);
    const Object type(H5Dget_type(dataset.id()), H5Tclose);
    if (count(dataset, path, 1) != 1) refuse(odd(path));
    return fixed_text(type, path, [&](char* into) {
      return H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, into);
    });
  }

  std::string attribute_text(const std::string& object, const std::string& name) const {
    const Object attribute = open_attribute(object, name.c_str());
    const Object type(H5Aget_type(attribute.id()), H5Tclose);
    return fixed_text(type, name,
                      [&](char* into) { return H5Aread(attribute.id(), type.id(), into); });
  }

  static std::string odd(const std::string& name) {
    return fmt::format("holds something in '{}' that Kumiko does not write", name);
  }

 private:
  static Object open(const std::string& name) {
    const Object access = hdf5::make_properties(H5P_FILE_ACCESS);
    // Nobody changes a checkpoint that has its name, and some file systems have no locks.
    hdf5::require(H5Pset_file_locking(access.id(), false, true));
    return {H5Fopen(name.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose};
  }

  /// Whose bytes are in this file, where the seal covers them. Throws CheckpointError for one that
  /// points elsewhere.
  Object open_dataset(const std::string& path) const {
    for (std::size_t end = path.find('/', 1); true; end = path.find('/', end + 1)) {
      H5L_info_t link{};
      hdf5::require(H5Lget_info(file_.id(), path.substr(0, end).c_str(), &link, H5P_DEFAULT));
      if (link.type != H5L_TYPE_HARD) refuse(odd(path));
      if (end == std::string::npos) break;
    }
    Object dataset(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose);
    const Object properties(H5Dget_create_plist(dataset.id()), H5Pclose);
    if (H5Pget_layout(properties.id()) != H5D_CONTIGUOUS ||
        H5Pget_external_count(properties.id()) != 0) {
      refuse(odd(path));
    }
    return dataset;
  }

  Object open_attribute(const std::string& object, const char* name) const {
    Object attribute(H5Aopen_by_name(file_.id(), object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT),
                     H5Aclose);
    const Object space(H5Aget_space(attribute.id()), H5Sclose);
    if (H5Sget_simple_extent_npoints(space.id()) != 1) refuse(odd(name));
    return attribute;
  }

  /// What `read` reads, a string of a length that its type says.
  template <class Read>
  std::string fixed_text(const Object& type, const std::string& name, Read read) const {
    const std::size_t size = H5Tget_size(type.id());
    if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) > 0 ||
        size > bytes_) {
      refuse(odd(name));
    }
    std::string text(size, '\0');
    hdf5::require(read(text.data()));
    return text.substr(0, text.find_last_not_of('\0') + 1);
  }

  std::size_t count(const Object& dataset, const std::string& path, std::size_t size) const {
    const Object space(H5Dget_space(dataset.id()), H5Sclose);
    const hssize_t points = H5Sget_simple_extent_npoints(space.id());
    hdf5::require(points);
    if (static_cast<std::uint64_t>(points) > bytes_ / size) refuse(odd(path));
    return static_cast<std::size_t>(points);
  }

  static void read(const Object& dataset, hid_t type, void* into) {
    hdf5::require(H5Dread(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, into));
  }

  std::string name_;
  std::uint64_t bytes_;
  std::uint64_t unread_ = bytes_;  ///< of what compressed records may take
  Object file_;
};

void check_layout(const Source& source) {
  if (!source.has("/kumiko")) source.refuse("was not written by Kumiko: it has no '/kumiko'");
  const int layout = source.integer(kRun, "layout_version");
  if (layout == kLayoutVersion) return;
  source.refuse(fmt::format("has layout {}, and this version of Kumiko reads {}; use {} Kumiko",
                            layout, kLayoutVersion,
                            layout > kLayoutVersion ? "a newer" : "an older"));
}

RunAttributes read_attributes(const Source& source) {
  RunAttributes attributes;
  attributes.time = source.number<double>(kRun, "time");
  attributes.dt = source.number<double>(kRun, "dt");
  attributes.subcycling = source.integer(kRun, "subcycling") != 0;
  attributes.initial_mass = source.number<double>(kRun, "initial_mass");
  attributes.wall_s = source.number<double>(kRun, "wall_s");
  attributes.configuration = source.text("/kumiko/configuration");
  return attributes;
}

std::vector<amr::PatchWait> read_waits(const Source& source) {
  constexpr std::size_t kNumbers = 9;
  constexpr auto kLastCause = static_cast<std::int64_t>(amr::WaitCause::kLevel);
  const auto seconds = source.list<double>("/kumiko/counters/wait_seconds");
  const std::string path = "/kumiko/counters/waits";
  const auto numbers = source.list<std::int64_t>(path, seconds.size() * kNumbers);
  if (seconds.size() > amr::WorkCounters::kLongestWaits) source.refuse(Source::odd(path));
  std::vector<amr::PatchWait> waits;
  for (std::size_t at = 0; at < seconds.size(); ++at) {
    const auto number = [&](std::size_t which) {
      return source.to_int(numbers[at * kNumbers + which], path);
    };
    if (number(2) < 0 || number(2) > kLastCause) source.refuse(Source::odd(path));
    waits.push_back({seconds[at],
                     number(0),
                     number(1),
                     static_cast<amr::WaitCause>(number(2)),
                     {number(3), number(4), number(5)},
                     {number(6), number(7), number(8)}});
  }
  return waits;
}

amr::WorkCounters read_counters(const Source& source) {
  const std::string path = "/kumiko/counters/";
  amr::WorkCounters counters;
  const auto unsigned_list = [&](const char* name) {
    return source.list<std::uint64_t>(path + name);
  };
  counters.updates_per_level = unsigned_list("updates_per_level");
  const auto updates = unsigned_list("updates");
  if (updates.size() > kMostWorkers) source.refuse(Source::odd(path + "updates"));
  const auto steals = source.list<std::uint64_t>(path + "steals", updates.size());
  const auto busy = source.list<double>(path + "busy_s", updates.size());
  const auto wait = source.list<double>(path + "wait_s", updates.size());
  for (std::size_t worker = 0; worker < updates.size(); ++worker) {
    counters.workers.push_back({updates[worker], busy[worker], wait[worker], steals[worker]});
  }
  counters.regrids = source.number<std::uint64_t>(kCounters, "regrids");
  counters.sum_of_largest = source.number<std::uint64_t>(kCounters, "sum_of_largest");
  counters.sum_of_means = source.number<double>(kCounters, "sum_of_means");
  counters.longest_waits = read_waits(source);
  return counters;
}

/// The records are compared with their hashes, as other readers can do.
amr::SavedLevel read_level(Source& source, int index, int components) {
  amr::SavedLevel level;
  const std::string path = fmt::format("/kumiko/level_{}/", index);
  level.patches = source.patches(index);
  const std::size_t patches = level.patches.size();
  const std::size_t record = static_cast<std::size_t>(components) * amr::kPatchPoints;
  const auto since = source.list<std::int64_t>(path + "since", patches);
  const auto unwanted = source.list<std::int64_t>(path + "unwanted", patches);
  for (std::size_t slot = 0; slot < patches; ++slot) {
    level.histories.push_back(
        {source.to_int(since[slot], path), source.to_int(unwanted[slot], path)});
  }
  level.cfl = source.list<double>(path + "cfl", patches);
  level.values = source.has(path + "chunks")
                     ? source.unpacked(path + "chunks", patches, record)
                     : source.list<double>(records_path(index), patches * record);
  const auto hashes = source.list<std::uint64_t>(path + "hashes", patches);
  for (std::size_t slot = 0; slot < patches; ++slot) {
    const std::span<const double> values(level.values.data() + slot * record, record);
    if (hash_of(std::as_bytes(values)) == hashes[slot]) continue;
    source.refuse(fmt::format("is damaged: the record of {} does not have its hash",
                              to_string(level.patches[slot])));
  }
  return level;
}

amr::Geometry read_geometry(const Source& source) {
  constexpr const char* kBase = "/level_0";
  constexpr const char* kDomain = "prob_domain";
  constexpr int kMostPoints = 1 << 24;
  const auto [i, j, last_i, last_j] = source.corners(kBase, kDomain);
  const double spacing = source.number<double>(kBase, "dx");
  const bool fits = i == 0 && j == 0 && last_i >= 0 && last_i < kMostPoints && last_j >= 0 &&
                    last_j < kMostPoints && spacing > 0.0 && std::isfinite(spacing);
  if (!fits) source.refuse(Source::odd(kDomain));
  const std::string centring = source.attribute_text(kRun, "centring");
  if (centring != "cell" && centring != "node") source.refuse(Source::odd("centring"));
  const int points_x = last_i + 1;
  const int points_y = last_j + 1;
  try {
    return {points_x,
            points_y,
            {spacing * points_x, spacing * points_y},
            {},
            centring == "cell" ? amr::Centring::kCell : amr::Centring::kNode};
  } catch (const std::invalid_argument&) {
    source.refuse(Source::odd(kDomain));
  }
}

Checkpoint read_contents(Source& source) {
  check_layout(source);
  Checkpoint checkpoint;
  checkpoint.attributes = read_attributes(source);
  amr::SavedRun& run = checkpoint.run;
  run.step = source.integer(kRun, "step");
  run.next_regrid = source.integer(kRun, "next_regrid");
  run.next_check = source.integer(kRun, "next_check");
  run.unnested = source.number<std::uint64_t>(kRun, "unnested");
  run.indicator_scale = source.number<double>(kRun, "indicator_scale");
  run.counters = read_counters(source);
  const int components = source.integer("/", "num_components");
  if (components < 1 || components > kMostComponents) source.refuse(Source::odd("num_components"));
  run.figures = source.integer(kRun, "figures");
  if (run.figures < 0 || run.figures >= components) source.refuse(Source::odd("figures"));
  for (int at = 0; at < components; ++at) {
    checkpoint.attributes.component_names.push_back(
        source.attribute_text("/", fmt::format("component_{}", at)));
  }
  const int levels = source.integer("/", "num_levels");
  if (levels < 1 || levels > kMostLevels) source.refuse(Source::odd("num_levels"));
  for (int index = 0; index < levels; ++index) {
    run.levels.push_back(read_level(source, index, components));
  }
  return checkpoint;
}

}  // namespace

void verify_checkpoint(const std::filesystem::path& file) { check_seal(file); }

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  return read_state(file).checkpoint;
}

StoredState read_state(const std::filesystem::path& file) {
  check_seal(file);
  const hdf5::QuietErrors quiet;
  try {
    Source source(file);
    Checkpoint checkpoint = read_contents(source);
    return {std::move(checkpoint), read_geometry(source)};
  } catch (const hdf5::Error& error) {
    throw CheckpointError(fmt::format("'{}' cannot be read: {}", file.string(), error.what()));
  } catch (const std::bad_alloc&) {
    throw CheckpointError(
        fmt::format("'{}' cannot be read: there is not enough memory", file.string()));
  } catch (const std::filesystem::filesystem_error& error) {
    throw CheckpointError(
        fmt::format("'{}' cannot be read: {}", file.string(), error.code().message()));
  }
}

}  // namespace kumiko::io
