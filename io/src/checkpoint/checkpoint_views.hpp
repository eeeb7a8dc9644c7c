// The three layouts in which a checkpoint shows its levels: Chombo's, VTK's and the restart's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <kumiko/amr/geometry.hpp>
#include <kumiko/io/checkpoint.hpp>

#include "hdf5/hdf5_capture.hpp"
#include "hdf5/hdf5_object.hpp"

namespace kumiko::io {

/// The contents of a checkpoint, from which all views are written.
struct Contents {
  const Checkpoint& checkpoint;
  const amr::Geometry& geometry;
  Compression compression;
  /// The records that this process has, by amr::record_ranges(); all of them if others have none.
  std::vector<std::span<const double>> own;

  const amr::SavedRun& run() const { return checkpoint.run; }
  const amr::Mesh<2>& mesh() const { return run().mesh; }
  const std::vector<std::string>& names() const { return checkpoint.attributes.component_names; }
  std::size_t record_size() const { return names().size() * amr::kPatchPoints; }
};

/// Corners of a box of cells as Chombo stores them, the first cell and the last one, and their
/// names.
using Corners = std::array<std::int32_t, 4>;
inline constexpr std::array<const char*, 4> kCornerNames = {"lo_i", "lo_j", "hi_i", "hi_j"};

/// The dataset of a level's patch records: [patch][component][j][i].
inline std::string records_path(int level) {
  return "/level_" + std::to_string(level) + "/data:datatype=0";
}

/// The place of a dataset in the file, which is filled without the library.
using Room = std::uint64_t;

/// Makes a dataset of one dimension whose bytes lie together and are placed at once.
Room reserve(const hdf5::Object& parent, const std::string& name, hid_t type, std::size_t values);

/// A chunk of a dataset in the file.
struct Chunk {
  std::uint64_t offset;
  std::uint64_t length;
};

/// Where the records of a level are: room to be filled, or chunks that the library has.
struct Records {
  Room room = 0;
  std::vector<Chunk> chunks;
};

/// Writes the patches of all used levels as Chombo does, and compresses them where that is asked
/// for. The file's bytes go to `capture`.
std::vector<Records> write_chombo_view(const hdf5::Object& file, const hdf5::Capture& capture,
                                       const Contents& contents);

/// Describes the leaf points for VTK, by virtual datasets over the records.
void write_vtk_view(const hdf5::Object& file, const Contents& contents);

/// Writes the data that a restart needs in addition to the records. \return room for the hashes of
/// each level's records
std::vector<Room> write_restart_view(const hdf5::Object& file, const Contents& contents,
                                     const std::vector<Records>& records);

/// The layout's version. Changes whenever a reader of `/kumiko` would have to.
inline constexpr std::int32_t kLayoutVersion = 5;
/// The last one that has one scale and one mass for all components, and no distances travelled.
inline constexpr std::int32_t kLayoutWithoutComponents = 4;
/// The oldest one that is read: it has in the file the data that are in the sidecar now.
inline constexpr std::int32_t kOldestLayout = 3;

}  // namespace kumiko::io
