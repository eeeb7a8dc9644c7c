// Writes a run to one HDF5 file and reads it back, to continue the run or to make pictures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/io/begun_from.hpp>
#include <kumiko/io/checkpoint_error.hpp>
#include <kumiko/io/compression.hpp>
#include <kumiko/io/sidecar.hpp>

namespace kumiko::runtime {
class Runtime;
}

namespace kumiko::io {

class ShareWriter;

/// The integrals of a component u of the field, and of |u|.
struct ComponentMass {
  double mass = 0.0;
  double absolute = 0.0;

  bool operator==(const ComponentMass&) const = default;
};

/// A restart at which keys that determine the state were changed.
struct Ancestor {
  int step = 0;            ///< base step from which the run continued
  std::string state_hash;  ///< amr::state_hash() there
  std::string keys;        ///< "KEY: BEFORE -> AFTER", separated by semicolons

  bool operator==(const Ancestor&) const = default;
};

/// Data in a checkpoint in addition to the engine's state.
struct RunAttributes {
  double time = 0.0;
  double dt = 0.0;  ///< of a base step
  std::string
      configuration;  ///< the keys that determine the state, as TOML; in earlier versions all keys
  std::vector<std::string> component_names;  ///< one for each component of a record, all different
  bool subcycling = true;                    ///< whether level l's step is dt ÷ 2^l
  /// Masses of each component of the field at step 0; empty if a file does not have them.
  std::vector<ComponentMass> initial_masses;
  std::vector<Ancestor> lineage = {};        ///< in the order of the restarts
  std::optional<BegunFrom> begun_from = {};  ///< of a run that has not begun with its case's field
};

/// All data that a run needs to continue, and the data that other programs need to read the file.
struct Checkpoint {
  RunAttributes attributes;
  amr::SavedRun run;
  /// The contents of the sidecar file: for checkpoints that are to have one, and after
  /// read_sidecar(). In files of earlier versions these data are in the checkpoint itself.
  std::optional<Sidecar> sidecar = std::nullopt;
  /// Of a file that was read: as StoredState has it.
  std::optional<amr::Geometry> geometry = std::nullopt;

  /// The names of the field's components, which come first in its records: without extras.
  std::span<const std::string> field_names() const {
    const std::span<const std::string> all = attributes.component_names;
    return all.first(all.size() - static_cast<std::size_t>(run.extras));
  }
};

/// Writes a checkpoint. The name should end in `.hdf`, because ParaView requires it. The file has
/// three views, which docs/reference/files.md describes field by field:
///
/// - `/level_L/data:datatype=0`, with the attributes and datasets of its group, is Chombo's format
/// (yt, VisIt): all
///   patches of level L in canonical order, each a record [component][j][i]. Contiguous, allocated
///   early; if the file is compressed, each record is a separate chunk.
/// - `/VTKHDF` is an OverlappingAMR of the leaf points alone (ParaView 5.11, VTK 9.2 and newer),
///   since these readers draw covered cells of flat grids: virtual datasets over the records, in
///   boxes of 16×16 cells, or 8×8 for the quadrants of partly covered patches. Its levels start at
///   the coarsest that has leaf points. Flat grids are one cell thick, equally on all levels.
/// - `/kumiko` has the data for a restart, the keys that determine the state, an XXH3 hash of each
///   record, and the version of the layout.
///
/// The file depends only on the case, these keys and the step, except for measured extras of
/// patches. Of the run's counters it has those that do not depend on the workers. All others, and
/// SavedRun::next_check, are in the sidecar, if the checkpoint has one. The sidecar gets its name
/// just before the checkpoint does.
///
/// Node (i, j) of a level is stored as the cell whose lower-left corner it is: readers of cells
/// show the field half a spacing of its level up and to the right. Attributes of `/kumiko` record
/// this (`centring` = "node", `node_placement`). Fields of cells are stored as these cells
/// (`centring` = "cell").
///
/// A seal at the file's end has hashes of every byte before it.
///
/// The HDF5 library plans the layout of the file and writes its own bytes to memory, some KiB and
/// 64 B per patch. Compressed records are made by the calling thread and are kept in memory too.
/// Then lightweight threads of `runtime` write everything, many records each; they free their
/// workers while the system writes. The file is called `FILE.part` until it is complete and on the
/// disk. Call this from an OS thread (the library needs its stack), which is blocked until the file
/// is written.
///
/// Throws OutputError with file and cause. An earlier file of the same name is then unchanged,
/// unless the error is about the sidecar, in which case the checkpoint has been written and is
/// whole. Throws std::invalid_argument if the number of names differs from that of components.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint,
                      const amr::Geometry& geometry, runtime::Runtime& runtime,
                      Compression compression = Compression::kNone);

/// Writes the checkpoint of a run that several ranks have saved together
/// (amr::Simulation::save_share()), for rank 0, to the same bytes. Each rank writes its own
/// records; the other ranks do so by their ShareWriters, at the request of this function, which
/// waits for them. Then this rank adds the hashes and the seal, and renames the file. All ranks
/// must see the same file system: a rank that does not find the file, with a mark that this rank
/// has put into it, reports an error. Throws as the function above, naming the rank whose part
/// could not be written, and what ShareWriter::write_there() throws.
/// \param checkpoint  its run has no values
/// \param own  this rank's records
/// \param runtime  the rank's runtime
/// \param writer  this rank's, whose own records it does not use
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint,
                      const amr::SavedRecords& own, const amr::Geometry& geometry,
                      runtime::Runtime& runtime, const ShareWriter& writer);

/// The bytes of the file that write_checkpoint() would write without compression. Lays the file out
/// in memory, as write_checkpoint() does, and writes nothing. The run needs no values. From an OS
/// thread.
std::uint64_t checkpoint_bytes(const Checkpoint& checkpoint, const amr::Geometry& geometry);

/// Checks by plain reads that every byte of a checkpoint is as it was written. Throws
/// CheckpointError otherwise; the message names the bytes that differ and, for uncompressed
/// records, their patches. Reads the whole file.
void verify_checkpoint(const std::filesystem::path& file);

/// Verifies and reads a checkpoint of this or of the previous layout. For OS threads. Throws
/// CheckpointError. The consistency of the run is checked by amr::Simulation. Values that
/// read_sidecar() sets are zero.
Checkpoint read_checkpoint(const std::filesystem::path& file);

/// Verifies and reads a checkpoint as read_checkpoint() does, but does not keep its values in
/// memory, unless the file is compressed: SavedRun::source reads them, and throws CheckpointError.
/// The file stays open as long as a copy of SavedRun::source exists. At most 64 records are in
/// memory during the call.
/// \param look  is called with each record, level by level, and with the data read before it
using RecordVisitor = std::function<void(const Checkpoint& checkpoint, const amr::PatchId& id,
                                         std::span<const double> record)>;
Checkpoint open_checkpoint(const std::filesystem::path& file, const RecordVisitor& look = {});

/// A checkpoint or a state with its mesh: all data that a picture needs.
struct StoredState {
  Checkpoint checkpoint;
  /// Extent, points and centring are those of the file. The boundary conditions are not stored;
  /// here all sides have the value 0.
  amr::Geometry geometry;
};

/// Verifies and reads a file as read_checkpoint() does, with its mesh; needs neither solver nor
/// case.
StoredState read_state(const std::filesystem::path& file);

}  // namespace kumiko::io
