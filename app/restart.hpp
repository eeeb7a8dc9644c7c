// Finds the file from which a run goes on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <kumiko/io/checkpoint.hpp>

namespace kumiko::app {

/// A checkpoint that was verified and read, with its sidecar.
struct Restart {
  std::filesystem::path file;
  io::Checkpoint checkpoint;
  std::vector<std::filesystem::path> damaged;  ///< newer ones of its folder, passed over
  std::string sidecar_fault = {};              ///< why it has no sidecar; empty where it has one
};

/// Reads a checkpoint that was named. Throws RequestError, which says what is wrong with the file,
/// be it damaged or with values that are not finite, and which earlier one of its folder is good.
Restart read_restart(const std::filesystem::path& file);

/// Reads the newest whole checkpoint, or state, of a run's folder. Prints a warning for each newer
/// one that is damaged or has values that are not finite, and names the one that it takes. Throws
/// RequestError when there is none, and for a newer one that cannot be read, is of another version
/// or of another step than its name.
Restart latest_restart(const std::filesystem::path& folder);

/// Checkpoints and states of a folder that are of later base steps, the latest first.
std::vector<std::filesystem::path> later_files(const std::filesystem::path& folder, int step);

}  // namespace kumiko::app
