// Writes a command's results as JSON where --summary says: to a file, or to stdout.
#pragma once

#include <filesystem>
#include <string>

namespace kumiko::app {

/// Stands for stdout. What else a command prints goes to stderr then.
inline constexpr const char* kStdout = "-";

/// Checks whether a summary can be written to a file; nothing to do for kStdout and an empty path.
/// Throws RequestError.
/// \param is_own  whether it is to lie in the run's own folder, which need not be there yet
void check_summary(const std::filesystem::path& file, bool is_own = false);

/// Does what check_summary() does, and removes the summary of an earlier run; a file that holds
/// something else is spared. For kStdout, sends to stderr what is printed from now on. Nothing to
/// do for an empty path. Throws RequestError. \param is_own  whether it is to lie in the run's own
/// folder
void prepare_summary(const std::filesystem::path& file, bool is_own = false);

/// The file that is written anew while work goes on; none for kStdout, which gets the last one.
inline std::filesystem::path while_running(const std::filesystem::path& file) {
  return file == kStdout ? std::filesystem::path() : file;
}

/// Writes it where prepare_summary() was asked to; not at all for an empty path. Throws
/// io::OutputError.
void write_summary(const std::filesystem::path& file, const std::string& text);

}  // namespace kumiko::app
