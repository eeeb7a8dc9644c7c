// Prepares a run: its setup, its folder, and the checkpoint that it continues from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/output_folder.hpp>

#include "run/from_state.hpp"
#include "run/setup.hpp"
#include "run/shared_options.hpp"
#include "run/whole_state.hpp"

namespace kumiko::app {

/// The options of `kumiko run`.
struct RunRequest : CaseRequest, OutputRequest {
  std::string backend = "threads";
  bool json = false;
  bool dry_run = false;
  bool print_config = false;
  bool no_files = false;
  std::string restart;    ///< a checkpoint's file, kLatest, or empty
  std::string from;       ///< a state, or the folder of a run, to begin with; or empty
  std::string from_time;  ///< "0", "state", or empty for 0

  /// False for a request that has no use for a folder.
  bool needs_folder() const { return !no_files && !print_config; }
};

/// Stands for the newest whole checkpoint of the run's folder.
inline constexpr const char* kLatest = "latest";

/// The prepared parts of a run.
struct Start {
  Setup setup;
  std::filesystem::path path;  ///< of the folder
  io::Earlier earlier;         ///< the treatment of the folder's files
  /// The folder of a run that continues there. It is taken before the checkpoint is chosen, so that
  /// no other run writes to it.
  std::optional<io::OutputFolder> folder = std::nullopt;
  std::optional<Restart> from = std::nullopt;
  /// Files of later steps in that folder, which are of a part of the run that is given up.
  std::vector<std::filesystem::path> later = {};
  std::filesystem::path configuration = {};  ///< CASE.toml; empty without one
  /// Keys that the field's bits depend on and that a restart changes, as io::Ancestor has them.
  std::string changes = {};
  /// The state that a new run begins with.
  std::optional<FromState> initial = std::nullopt;
};

/// Reads the configuration of a request, and chooses the checkpoint that the run continues from, if
/// it does. Throws RequestError.
/// \param writes  whether this process writes the run's files: it takes the folder in time
Start start_of(const RunRequest& request, bool writes);

/// Resolves --json, and refuses options that contradict each other. Throws RequestError.
void check_request(RunRequest& request);

/// True if the checkpoint is of the last step already.
bool is_done(const Start& start);

}  // namespace kumiko::app
