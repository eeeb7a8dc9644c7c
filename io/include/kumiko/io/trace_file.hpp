// Writes and reads traces in Kumiko's own format, and writes them in formats of other tools.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <stdexcept>
#include <string_view>

#include <kumiko/amr/trace.hpp>

namespace kumiko::io {

/// A file is not a trace, or is not complete; the message names the file and the cause.
struct TraceError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// The file does not exist, or it is not a trace.
struct NotATrace : TraceError {
  using TraceError::TraceError;
};

/// Writes the whole trace as HDF5 (docs/reference/files.md), and renames it to its final name when
/// it is complete. Throws std::runtime_error if it cannot be written. Uses HDF5, so do not call it
/// in a lightweight thread.
void write_trace(const std::filesystem::path& file, const amr::Trace& trace);

/// Reads a file that write_trace() wrote. Throws NotATrace if there is no file or it is not a
/// trace, and TraceError if it is truncated, damaged or inconsistent.
/// \param path  the trace's file, or the folder of a run that has one
amr::Trace read_trace(const std::filesystem::path& path);

/// The beginnings of the files that are exported from traces, which distinguish them from others.
inline constexpr std::string_view kChromeTraceHead =
    R"({"displayTimeUnit":"ns","otherData":{"case":)";
inline constexpr std::string_view kTraceTableHead = "base_step,level,i,j,kind,";

/// Writes Chrome's trace-event JSON, which Perfetto opens: a row per worker with a slice per piece
/// of work, named by level and patch; arrows from the pieces waited for; counters of ready threads
/// and of I/O in flight; steals; and a row with the run's windows and the work between them.
void write_chrome_trace(std::ostream& out, const amr::Trace& trace);

/// Writes an OTF2 archive, for tools such as Vampir and Scalasca: a location per worker, regions by
/// level and kind of piece, patch and base step as attributes, the counters as metrics.
/// \param folder  is made; it must not exist, or must be empty
/// Throws std::runtime_error if it cannot be written, or if the build has no OTF2.
void write_otf2(const std::filesystem::path& folder, const amr::Trace& trace);

/// True if this build writes OTF2.
bool otf2_available();

/// Writes a row per piece: base step, level, i, j, kind, number, worker, begin and end in seconds,
/// seconds waited since its worker's last piece, cause and patch waited for, steals, counters.
void write_trace_csv(std::ostream& out, const amr::Trace& trace);

}  // namespace kumiko::io
