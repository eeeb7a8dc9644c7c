// Reads traces that the user has named, and writes them in the formats that other tools open.
#pragma once

#include <filesystem>

#include <kumiko/amr/trace.hpp>

namespace kumiko::app {

/// Reads a trace that the user has named, or the folder of a run with one. Throws RequestError
/// where there is none that can be read, io::TraceError where it is damaged.
amr::Trace read_named_trace(const std::filesystem::path& path);

/// Write a trace into a folder: trace.json, trace_otf2 or trace.csv. \return what was written
std::filesystem::path export_chrome(const amr::Trace& trace, const std::filesystem::path& output);
std::filesystem::path export_otf2(const amr::Trace& trace, const std::filesystem::path& output);
std::filesystem::path export_csv(const amr::Trace& trace, const std::filesystem::path& output);

}  // namespace kumiko::app
