// Files and folders that the user has named: what they are is told before work starts.
#pragma once

#include <filesystem>
#include <string_view>

#include <kumiko/amr/trace.hpp>

namespace kumiko::app {

/// What the path leads to; file_type::not_found where nothing is there. A file that is there can be
/// read, a folder can be listed and entered. Throws RequestError where that is not so, or cannot be
/// seen: without permission, or by links that lead in a circle.
std::filesystem::file_type type_of_named(const std::filesystem::path& path);

/// Throws RequestError where there is no file that can be read; `remedy` says what to name.
void require_file(const std::filesystem::path& path, std::string_view remedy);

/// Makes a folder where there is none. \return whether it has. Throws RequestError where no files
/// can be put into it, or it cannot be made.
bool make_folder(const std::filesystem::path& folder);

/// Reads a trace, or that of a run's folder. Throws RequestError where there is none that can be
/// read, io::TraceError where it is damaged.
amr::Trace read_named_trace(const std::filesystem::path& path);

}  // namespace kumiko::app
