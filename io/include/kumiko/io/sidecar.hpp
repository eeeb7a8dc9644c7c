// The sidecar, a file next to a checkpoint or a state: data about the run on which the state does
// not depend.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <kumiko/amr/parameter.hpp>
#include <kumiko/io/origin.hpp>

namespace kumiko::io {

struct Checkpoint;

/// Files and folders that a run has used, by the names that it was given.
struct RunPaths {
  std::filesystem::path configuration = {};  ///< CASE.toml; empty without one
  std::filesystem::path folder = {};         ///< of the run's files
  std::filesystem::path case_file = {};      ///< of the plugin that the case is from
  std::filesystem::path solver_file = {};    ///< and the solver
};

/// The time that a run took up to a checkpoint, and how it was computed. Checkpoints of the same
/// case, keys and step are equal to the bit, whatever their sidecars.
struct Sidecar {
  double wall_s = 0.0;  ///< seconds of stepping so far
  /// The time up to which all output that is due by the case's time has been written:
  /// amr::Simulation::reach() or more. Nothing in sidecars of earlier versions.
  std::optional<double> reached = {};
  std::string backend = {};  ///< backend of the part of the run that ends there
  int workers = 0;           ///< number of workers of that part
  Origin origin = {};
  RunPaths paths = {};
  /// The values of keys that do not determine the state, by full dotted name.
  amr::ParameterSet configuration = {};
};

/// A sidecar is missing or cannot be used; what() names the file and the cause. The checkpoint can
/// be used without it.
struct SidecarError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// The name of the sidecar of a checkpoint: `.run.json` replaces `.hdf`, or is appended to a name
/// with another ending.
std::filesystem::path sidecar_of(const std::filesystem::path& checkpoint_file);

/// The text of the sidecar of a checkpoint that has one, without the seal, with the loads and waits
/// of the run's counters. docs/reference/files.md describes it field by field.
nlohmann::ordered_json sidecar_json(const Checkpoint& checkpoint);

/// Writes the sidecar of a checkpoint that has one, replacing a file of the same name. It does not
/// wait for the disk, so the file may be empty after a power failure; the checkpoint can be used
/// without it. Throws OutputError.
/// \param seal  the hash in the checkpoint's seal, which links the two files
void write_sidecar(const std::filesystem::path& checkpoint_file, const Checkpoint& checkpoint,
                   std::uint64_t seal);

/// Reads the sidecar of a checkpoint that has been read from `checkpoint_file`, and adds its data
/// to the run's counters. Throws SidecarError, also if the sidecar belongs to another file, and
/// CheckpointError if the checkpoint's file no longer exists; `checkpoint` is then unchanged.
void read_sidecar(const std::filesystem::path& checkpoint_file, Checkpoint& checkpoint);

}  // namespace kumiko::io
