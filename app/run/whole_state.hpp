// Finds and reads whole checkpoints and states, to continue a run or to begin one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <kumiko/io/checkpoint.hpp>

namespace kumiko::app {

/// A checkpoint that was verified and read, with its sidecar.
struct Restart {
  std::filesystem::path file;
  io::Checkpoint checkpoint;
  std::vector<std::filesystem::path> damaged;  ///< newer ones of its folder, passed over
  std::string sidecar_fault = {};              ///< why it has no sidecar; empty if it has one
  /// The files that serve in place of the lost sidecar, for keys and for seconds and loads; empty
  /// where none does.
  std::filesystem::path settings_from = {};
  std::filesystem::path work_from = {};
};

/// The words of messages about a file that an option names.
struct StateOption {
  const char* name;         ///< "--restart"
  const char* with_folder;  ///< what stands for the newest file of a folder
  const char* use;          ///< "the restart is from"
  const char* without_any;  ///< what to do if no file of the folder is whole
};
inline constexpr StateOption kRestartOption = {"--restart", "--restart latest",
                                               "the restart is from", "begin the run anew"};
inline constexpr StateOption kFromOption = {"--from", "--from", "the run begins with",
                                            "name a whole state"};

/// Reads a checkpoint that was named. Throws RequestError, which says what is wrong with the file,
/// be it damaged or with values that are not finite, and which earlier one of its folder is good.
Restart read_named(const std::filesystem::path& file, const StateOption& option);

/// Reads the newest whole checkpoint, or state, of a run's folder. Prints a warning for each newer
/// one that is damaged or has values that are not finite, and names the one that it takes. Throws
/// RequestError when there is none, and for a newer one that cannot be read, is of another version
/// or of another step than its name.
Restart read_newest(const std::filesystem::path& folder, const StateOption& option);

/// Checkpoints and states of a folder, the newest first.
std::multimap<std::int64_t, std::filesystem::path, std::greater<>> stored_states(
    const std::filesystem::path& folder);

/// Reads a checkpoint's sidecar, unless it has one. \return why it has none; empty if it has one
/// now
std::string read_sidecar_of(const std::filesystem::path& file, io::Checkpoint& checkpoint);

/// The newest checkpoint or state in a folder, whole or not.
std::optional<std::filesystem::path> newest_checkpoint(const std::filesystem::path& folder);

}  // namespace kumiko::app
