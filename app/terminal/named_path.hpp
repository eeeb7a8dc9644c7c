// Checks files and folders that the user has named before work starts.
#pragma once

#include <filesystem>
#include <string_view>

#include <kumiko/amr/trace.hpp>

namespace kumiko::app {

/// The type of the file that a path leads to; file_type::not_found if there is none. A file can be
/// read, and a folder can be listed and entered. Throws RequestError if that is not so, or if it
/// cannot be found out: without permission, or because links lead in a circle.
std::filesystem::file_type type_of_named(const std::filesystem::path& path);

/// Throws RequestError unless a path leads to a file that can be read. `remedy` is the remedy of
/// the message.
void require_file(const std::filesystem::path& path, std::string_view remedy);

/// True if a path is the folder or one above it, also by links. Neither need exist.
bool is_at_or_above(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Makes a folder where there is none. \return whether it has. Throws RequestError where no files
/// can be put into it, or it cannot be made.
bool make_folder(const std::filesystem::path& folder);

/// Reads a trace, or that of a run's folder. Throws RequestError where there is none that can be
/// read, io::TraceError where it is damaged.
amr::Trace read_named_trace(const std::filesystem::path& path);

}  // namespace kumiko::app
