// Writes a run to one HDF5 file, from which it can go on and pictures can be made, and reads it
// back.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/geometry.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/io/checkpoint_error.hpp>
#include <kumiko/io/compression.hpp>
#include <kumiko/io/sidecar.hpp>

namespace kumiko::runtime {
class Runtime;
}

namespace kumiko::io {

/// The integrals of a component u of the field, and of |u|.
struct ComponentMass {
  double mass = 0.0;
  double absolute = 0.0;

  bool operator==(const ComponentMass&) const = default;
};

/// A restart that changed keys which determine the state.
struct Ancestor {
  int step = 0;            ///< base step from which the run went on
  std::string state_hash;  ///< amr::state_hash() there
  std::string keys;        ///< "KEY: BEFORE -> AFTER", separated by semicolons

  bool operator==(const Ancestor&) const = default;
};

/// What a checkpoint says beside the engine's own state.
struct RunAttributes {
  double time = 0.0;
  double dt = 0.0;            ///< of a base step
  std::string configuration;  ///< the keys that determine the state, as TOML; once all of them
  std::vector<std::string> component_names;  ///< one for each component of a record, all different
  bool subcycling = true;                    ///< whether level l's step is dt ÷ 2^l
  /// Of each component of the field at step 0; none where a file does not say.
  std::vector<ComponentMass> initial_masses;
  std::vector<Ancestor> lineage = {};  ///< in the order of the restarts
};

/// All that a run needs to go on, with what others need to read it.
struct Checkpoint {
  RunAttributes attributes;
  amr::SavedRun run;
  /// What stands beside the file: of checkpoints that are to have it, and after read_sidecar(). In
  /// files of earlier versions it stands in the file itself.
  std::optional<Sidecar> sidecar = std::nullopt;

  /// The names of the field's components, which come first in its records: without extras.
  std::span<const std::string> field_names() const {
    const std::span<const std::string> all = attributes.component_names;
    return all.first(all.size() - static_cast<std::size_t>(run.extras));
  }
};

/// Writes a checkpoint. The name should end in `.hdf`, which ParaView asks for. One file, three
/// views, field by field in docs/reference/files.md:
///
/// - `/level_L/data:datatype=0`, with what stands beside it, is Chombo's format (yt, VisIt): all
///   patches of level L in canonical order, each a record [component][j][i]. Contiguous, allocated
///   early; where they are compressed, a chunk of its own each.
/// - `/VTKHDF` is an OverlappingAMR of the leaf points alone (ParaView 5.11, VTK 9.2 and newer),
///   since these readers draw covered cells of flat grids: virtual datasets over the records, in
///   boxes of 16×16 cells, or 8×8 for the quadrants of partly covered patches. Its levels start at
///   the coarsest that has leaf points. Flat grids are one cell thick, equally on all levels.
/// - `/kumiko` holds what a restart needs, the keys that determine the state, an XXH3 hash of each
///   record, and the version of the layout.
///
/// The file depends on the case, these keys and the step alone, but for extras of the patches that
/// were measured: of the run's counters it has those that no worker changes. All others, and
/// SavedRun::next_check, go into the sidecar, if the checkpoint has one. It takes its name just
/// before the file does.
///
/// Node (i, j) of a level is stored as the cell whose lower-left corner it is: readers of cells
/// show the field half a spacing of its level up and to the right. Attributes of `/kumiko` say so
/// (`centring` = "node", `node_placement`). Cells are stored as the cells that they are, where they
/// are (`centring` = "cell").
///
/// A seal at the file's end has hashes of every byte before it.
///
/// The HDF5 library lays the file out and gives its own bytes to memory, some KiB and 64 B a patch;
/// compressed records are made by the calling thread and are held there too. Everything is then
/// written by lightweight threads of `runtime`, many records each, which leave the workers to
/// others while the system writes. The file is called `FILE.part` until it is whole and on the
/// disk. Call this from an OS thread (the library needs its stack), which waits.
///
/// Throws OutputError with file and cause; what had the name before is then as it was, unless the
/// file that is named is the sidecar: then the checkpoint is there, and whole. Throws
/// std::invalid_argument when the names do not fit the components.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint,
                      const amr::Geometry& geometry, runtime::Runtime& runtime,
                      Compression compression = Compression::kNone);

/// Writes the checkpoint of a run that several owners have saved together
/// (amr::Simulation::save_share()), for owner 0, to the same bytes. Each owner writes its own
/// records, the others by their ShareWriters while this asks and waits; then this one adds their
/// hashes and the seal, and the file takes its name. All must see one file system: one that does
/// not find the file, with a mark that this owner has put in it, says so. Throws as the other one,
/// with the rank whose part could not be written, and also what Owner::ask() throws.
/// \param checkpoint  its run has no values
/// \param own         this owner's
/// \param runtime     the owner's
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint,
                      const amr::SavedRecords& own, const amr::Geometry& geometry,
                      runtime::Runtime& runtime, amr::Owner& owner);

/// Checks by plain reads that every byte of a checkpoint is as it was written. Throws
/// CheckpointError otherwise; the message says which bytes differ and, where they are of records
/// that are not compressed, of which patches. Reads the whole file.
void verify_checkpoint(const std::filesystem::path& file);

/// Verifies and reads a checkpoint, of the layout before this one too. From an OS thread. Throws
/// CheckpointError. Whether the run that it holds makes sense is for amr::Simulation to say. What
/// read_sidecar() adds is zero until then.
Checkpoint read_checkpoint(const std::filesystem::path& file);

/// Verifies and reads a checkpoint as read_checkpoint() does, but leaves its values where they are,
/// unless it is compressed: SavedRun::source reads them, and throws CheckpointError. The file stays
/// open as long as there is a copy of that. Holds 64 records at a time meanwhile.
/// \param look  is called with each record, level by level, and with what is known before
using RecordVisitor = std::function<void(const Checkpoint& checkpoint, const amr::PatchId& id,
                                         std::span<const double> record)>;
Checkpoint open_checkpoint(const std::filesystem::path& file, const RecordVisitor& look = {});

/// A checkpoint or a state with the mesh that it lives on: all that a picture needs.
struct StoredState {
  Checkpoint checkpoint;
  /// Extent, points and centring are the file's. What surrounds the domain is the case's to say:
  /// here a value of 0.
  amr::Geometry geometry;
};

/// Verifies and reads a file as read_checkpoint() does, with its mesh; needs neither solver nor
/// case.
StoredState read_state(const std::filesystem::path& file);

}  // namespace kumiko::io
