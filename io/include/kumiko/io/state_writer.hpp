// Writes states of a run to files while the run continues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/case.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/share_writer.hpp>

namespace kumiko::io {

/// Name patterns of files from which a run can continue, for OutputFolder::numbered().
inline constexpr std::string_view kCheckpointFiles = "checkpoint_#.hdf";
inline constexpr std::string_view kStateFiles = "state_#.hdf";
/// Name patterns of their sidecars.
inline constexpr std::string_view kCheckpointSidecars = "checkpoint_#.run.json";
inline constexpr std::string_view kStateSidecars = "state_#.run.json";

/// The name for a pattern and a number of base steps.
std::string checkpoint_name(std::int64_t step);
std::string state_name(std::int64_t step);

/// The sidecars in a folder without their checkpoints or states, with their base steps. They remain
/// if a run is killed between writing the two.
/// \param pattern  kCheckpointSidecars or kStateSidecars
std::map<std::int64_t, std::filesystem::path> lone_sidecars(const std::filesystem::path& folder,
                                                            std::string_view pattern);

/// Data about the run's past, in addition to the state.
struct RunHistory {
  std::vector<ComponentMass> initial_masses;  ///< of each component; none = not known
  double wall_s = 0.0;                        ///< of stepping so far
  std::optional<double> reached = {};         ///< as Sidecar::reached
  /// Point updates of the finest grid everywhere that the steps before some restart would have made
  /// beyond those of as many steps with the levels of today; negative where there were fewer
  /// levels.
  double uniform_updates_beyond = 0.0;
};

/// Options for all files of a run.
struct StateWriterOptions {
  /// The keys that determine the state, as TOML; every file holds it.
  std::string configuration = {};
  /// Restarts that have changed some of them.
  std::vector<Ancestor> lineage = {};
  std::optional<BegunFrom> begun_from = {};  ///< as RunAttributes has it
  /// The sidecar's data for every file; StateWriter adds seconds, backend and workers.
  Sidecar sidecar = {};
  Compression compression = Compression::kNone;
  /// True if states have amr::kExtraNames too. Checkpoints never do: the extras would make them
  /// five times as large, and no run needs them.
  bool extras = false;
  /// The number of newest checkpoints to keep in a folder; at least 1.
  std::size_t keep = 2;
  /// Called with the cause if a checkpoint could not be written; the run then continues without it.
  /// The functions of StateWriter call it on their caller's thread. Without it they throw.
  std::function<void(const std::exception& cause)> on_failed_checkpoint = {};
};

/// Writes one file at a time, with its sidecar. The state is copied at the request, and lightweight
/// threads write it while the run steps; if the backend has no runtime, a runtime of one worker is
/// made. Keeps references to case and backend. Call it from one OS thread, between calls of
/// Simulation::advance().
///
/// If several ranks share the mesh, rank 0 has the StateWriter, and each other rank has a
/// ShareWriter, which gets its records from Simulation::follow(). So no rank needs memory for many
/// more values than its share. Compressed files are made by rank 0 alone, from all values, because
/// the library makes their chunks.
class StateWriter {
 public:
  /// Throws std::invalid_argument for invalid options.
  /// \param communicator  of the simulations whose states are written
  StateWriter(const amr::Case& problem, amr::Backend& backend, StateWriterOptions options,
              const amr::Communicator& communicator = amr::single_rank());
  /// Waits for the file in progress; its errors are not reported.
  ~StateWriter();
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;

  /// Waits for the previous file, then begins to write a state or a checkpoint. Throws what
  /// settle() throws.
  void write_state(const std::filesystem::path& file, const amr::Simulation& simulation,
                   const RunHistory& history);
  void write_checkpoint(const std::filesystem::path& file, const amr::Simulation& simulation,
                        const RunHistory& history);

  /// Waits for the file in progress. Throws if it could not be written; for a checkpoint only
  /// without on_failed_checkpoint. After a new checkpoint, removes the oldest checkpoints of its
  /// folder, with their sidecars, except the number to keep.
  void settle();

  /// As settle() if the last file is whole by now; does not wait.
  void settle_if_written();

  /// The latest file written by this object, a checkpoint or a state: a run can continue from
  /// either.
  const std::optional<std::filesystem::path>& latest() const { return latest_; }
  /// StateWriterOptions::lineage.
  const std::vector<Ancestor>& lineage() const { return options_.lineage; }
  /// The longest time from a request to the file.
  double longest_s() const { return longest_s_; }

 private:
  /// A state to be written.
  struct Copy {
    Checkpoint checkpoint;
    std::optional<amr::SavedRecords> own;  ///< if other ranks write the other records
  };
  Copy copy_of(const amr::Simulation& simulation, const RunHistory& history) const;
  void start(const std::filesystem::path& file, const amr::Simulation& simulation,
             const RunHistory& history);
  /// In the handler of an exception: rethrows it, or reports it.
  void handle_failure() const;

  const amr::Case& problem_;
  amr::Backend& backend_;
  StateWriterOptions options_;
  ShareWriter shares_;                     ///< asks those of the other ranks
  std::unique_ptr<runtime::Runtime> own_;  ///< if the backend has no runtime
  std::future<double> pending_;            ///< the seconds that writing took
  std::filesystem::path file_;             ///< the file in progress
  bool is_checkpoint_ = false;
  std::optional<std::filesystem::path> latest_;
  double longest_s_ = 0.0;
};

}  // namespace kumiko::io
