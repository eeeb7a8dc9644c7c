// Writes traces in the formats that other tools open.
#pragma once

#include <filesystem>
#include <string>

#include <kumiko/amr/trace.hpp>

#include "request.hpp"

namespace kumiko::app {

bool is_trace_format(const std::string& format);

/// Throws RequestError when this build does not have the format, or when several traces would have
/// the same name.
void check_trace_export(const Request& request);

/// Reads a trace that the user has named, or the folder of a run with one. Throws RequestError
/// where there is none that can be read, io::TraceError where it is damaged.
amr::Trace read_named_trace(const std::filesystem::path& path);

/// @param path  a trace, or a folder with one
/// @return what was written: trace.json, trace.csv or the folder trace_otf2, in `output`
std::filesystem::path export_trace(const std::filesystem::path& path, const std::string& format,
                                   const std::filesystem::path& output);

}  // namespace kumiko::app
