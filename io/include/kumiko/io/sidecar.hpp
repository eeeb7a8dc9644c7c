// The file beside a checkpoint or a state: how the run came to it, on which the state does not
// depend.
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

/// Files and folders that a run has used, as it was given them.
struct RunPaths {
  std::filesystem::path configuration = {};  ///< CASE.toml; empty without one
  std::filesystem::path folder = {};         ///< of the run's files
  std::filesystem::path case_file = {};      ///< of the plugin that the case is from
  std::filesystem::path solver_file = {};    ///< and the solver
};

/// What a run took up to a checkpoint, and how it was computed. Files of the same case, keys and
/// step are equal to the bit, whatever stands here.
struct Sidecar {
  double wall_s = 0.0;  ///< what the stepping has taken so far
  /// Up to which time what is due by the case's time has been done: amr::Simulation::reach() or
  /// more. Nothing in those of earlier versions.
  std::optional<double> reached = {};
  std::string backend = {};  ///< of the part of the run that ends there
  int workers = 0;           ///< that part's
  Origin origin = {};
  RunPaths paths = {};
  /// The values of keys that do not determine the state, by full dotted name.
  amr::ParameterSet configuration = {};
};

/// A sidecar is missing or cannot be used; what() names the file and what is wrong with it. The
/// checkpoint serves without it.
struct SidecarError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// The name of the sidecar of a checkpoint: `.run.json` in place of `.hdf`, or behind a name that
/// ends with something else.
std::filesystem::path sidecar_of(const std::filesystem::path& checkpoint_file);

/// The sidecar of a checkpoint that has one, as it is written but for the seal: field by field in
/// docs/reference/files.md, with the loads and waits of the run's counters.
nlohmann::ordered_json sidecar_json(const Checkpoint& checkpoint);

/// Writes the sidecar of a checkpoint that has one, replacing what had its name. It does not wait
/// for the disk, so that it may be empty after a power failure; the checkpoint serves without it.
/// Throws OutputError.
/// \param seal  the hash in the checkpoint's seal, by which the two belong together
void write_sidecar(const std::filesystem::path& checkpoint_file, const Checkpoint& checkpoint,
                   std::uint64_t seal);

/// Reads the sidecar that belongs to a checkpoint, which has been read from `checkpoint_file`, and
/// completes the run's counters by it. Throws SidecarError, also for one that belongs to another
/// file, and CheckpointError where the checkpoint is gone; the checkpoint is then as it was.
void read_sidecar(const std::filesystem::path& checkpoint_file, Checkpoint& checkpoint);

}  // namespace kumiko::io
