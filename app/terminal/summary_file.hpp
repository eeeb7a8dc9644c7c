// Writes a command's results as JSON where --summary says: to a file, or to stdout.
#pragma once

#include <filesystem>
#include <string>

namespace kumiko::app {

/// Stands for stdout. All other output of the command goes to stderr then.
inline constexpr const char* kStdout = "-";

/// Checks whether a summary can be written to a file; does nothing for kStdout and an empty path.
/// Throws RequestError.
/// \param is_own  whether it is to lie in the run's own folder, which need not be there yet
void check_summary(const std::filesystem::path& file, bool is_own = false);

/// Calls check_summary(), and removes the summary of an earlier run; a file that holds something
/// else is kept. For kStdout, sends to stderr all output from now on. Does nothing for an empty
/// path. Throws RequestError.
/// \param is_own  whether it is to lie in the run's own folder
void prepare_summary(const std::filesystem::path& file, bool is_own = false);

/// The file to rewrite during the work; empty for kStdout, which gets the last summary only.
inline std::filesystem::path while_running(const std::filesystem::path& file) {
  return file == kStdout ? std::filesystem::path() : file;
}

/// Writes a summary, after prepare_summary() for the same file; does nothing for an empty path.
/// Throws io::OutputError.
void write_summary(const std::filesystem::path& file, const std::string& text);

}  // namespace kumiko::app
