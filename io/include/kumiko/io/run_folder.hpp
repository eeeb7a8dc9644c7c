// Reads the folder of a finished run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kumiko/amr/statistics.hpp>
#include <kumiko/io/diagnostics_csv.hpp>
#include <kumiko/io/manifest.hpp>

namespace kumiko::io {

/// A folder holds no finished run, or one of its files is not whole; the message names the file,
/// the line where there is one, and the remedy.
struct RunFolderError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// The folder is not one of a finished run: none of its files is to blame.
struct NotARun : RunFolderError {
  using RunFolderError::RunFolderError;
};

/// The files of a finished run, without its states and its trace, which are large.
struct RunFolder {
  std::filesystem::path path;
  /// summary.json, by docs/reference/files.md; read_run_folder() has found what readers rely on.
  std::shared_ptr<const nlohmann::ordered_json> summary;
  std::string configuration;  ///< effective.toml
  /// diagnostics.csv, as far as all runs have it alike: without components and updates.
  std::vector<DiagnosticsRow> diagnostics;
  std::vector<amr::BaseStepLoad> load;                   ///< load.csv, by base step
  std::map<std::int64_t, std::filesystem::path> states;  ///< by base steps, to the last
  bool has_trace = false;                                ///< whether there is a kTraceFile
  /// The files of the texts above that are not as the run's manifest says, and the manifest if it
  /// has changed. States and trace have seals of their own.
  std::vector<AlteredFile> altered;
};

/// Reads a run's folder. O(size of its tables).
/// Throws NotARun when the folder is not a run's or the run is not complete; another
/// RunFolderError when a file is missing, damaged, cut off, or does not fit the summary.
RunFolder read_run_folder(const std::filesystem::path& folder);

}  // namespace kumiko::io
