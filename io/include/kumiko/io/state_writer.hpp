// Puts states of a run into files while the run goes on.
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

namespace kumiko::io {

/// Names of files from which a run can go on, for OutputFolder::numbered().
inline constexpr std::string_view kCheckpointFiles = "checkpoint_#.hdf";
inline constexpr std::string_view kStateFiles = "state_#.hdf";
/// And of what stands beside them.
inline constexpr std::string_view kCheckpointSidecars = "checkpoint_#.run.json";
inline constexpr std::string_view kStateSidecars = "state_#.run.json";

/// Such a name, at a number of base steps.
std::string checkpoint_name(std::int64_t step);
std::string state_name(std::int64_t step);

/// Those sidecars of a folder whose files are not there, with their base steps: a run leaves them
/// that is killed between the two.
/// \param pattern  kCheckpointSidecars or kStateSidecars
std::map<std::int64_t, std::filesystem::path> lone_sidecars(const std::filesystem::path& folder,
                                                            std::string_view pattern);

/// What a run needs to know of its past, beside the state.
struct RunHistory {
  std::vector<ComponentMass> initial_masses;  ///< of each component; none = not known
  double wall_s = 0.0;                        ///< of stepping so far
  std::optional<double> reached = {};         ///< as Sidecar::reached
};

/// What holds for all files of a run.
struct StateWriterOptions {
  /// The keys that determine the state, as TOML; every file holds it.
  std::string configuration = {};
  /// Restarts that have changed some of them.
  std::vector<Ancestor> lineage = {};
  /// What stands beside every file; StateWriter adds seconds, backend and workers.
  Sidecar sidecar = {};
  Compression compression = Compression::kNone;
  /// Whether states show amr::kExtraNames too. Checkpoints never do: the extras would make them
  /// five times as large, and no run needs them.
  bool extras = false;
  /// Checkpoints of a folder that stay, the newest; at least 1.
  std::size_t keep = 2;
  /// Is told why a checkpoint could not be written, and the run goes on without it. Called by the
  /// functions of StateWriter, on their caller's thread. Without it they throw.
  std::function<void(const std::exception& cause)> on_failed_checkpoint = {};
};

/// One file at a time, with its sidecar: the state is copied when it is asked for, and written by
/// lightweight threads beside those of the steps, or by a runtime of one worker where the backend
/// has none. Keeps references to case and backend. Call it from one OS thread, between calls of
/// Simulation::advance().
///
/// Where several owners share the mesh it is owner 0's; each of the others has a ShareWriter, to
/// which Simulation::follow() hands its records, and no owner holds many more values than its
/// share. Compressed files are made by owner 0 alone, from all values: the library makes their
/// chunks.
class StateWriter {
 public:
  /// Throws std::invalid_argument for options that cannot be.
  StateWriter(const amr::Case& problem, amr::Backend& backend, StateWriterOptions options);
  /// Waits for the file that is being written; what goes wrong then is not told.
  ~StateWriter();
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;

  /// Begins to write a state or a checkpoint, when the file before is done. Throws what settle()
  /// throws.
  void write_state(const std::filesystem::path& file, const amr::Simulation& simulation,
                   const RunHistory& history);
  void write_checkpoint(const std::filesystem::path& file, const amr::Simulation& simulation,
                        const RunHistory& history);

  /// Waits for the file that is being written. Throws what hindered it; for a checkpoint only
  /// without on_failed_checkpoint. When a new checkpoint is there, older ones of its folder go, but
  /// for as many as are to stay, and their sidecars with them.
  void settle();

  /// The latest file that is there, of those written here: a run goes on from states as well.
  const std::optional<std::filesystem::path>& latest() const { return latest_; }
  /// StateWriterOptions::lineage.
  const std::vector<Ancestor>& lineage() const { return options_.lineage; }
  /// The longest time from a request to the file.
  double longest_s() const { return longest_s_; }

 private:
  /// A state as it is to be written.
  struct Copy {
    Checkpoint checkpoint;
    std::optional<amr::SavedRecords> own;  ///< where other owners write the others
  };
  Copy copy_of(const amr::Simulation& simulation, const RunHistory& history) const;
  void start(const std::filesystem::path& file, const amr::Simulation& simulation,
             const RunHistory& history);
  /// In the handler of an exception: passes it on, or tells it.
  void handle_failure() const;

  const amr::Case& problem_;
  amr::Backend& backend_;
  StateWriterOptions options_;
  std::unique_ptr<runtime::Runtime> own_;  ///< where the backend has no runtime
  std::future<double> pending_;            ///< seconds that it took
  std::filesystem::path file_;             ///< being written
  bool is_checkpoint_ = false;
  std::optional<std::filesystem::path> latest_;
  double longest_s_ = 0.0;
};

}  // namespace kumiko::io
