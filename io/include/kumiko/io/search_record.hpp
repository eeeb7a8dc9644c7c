// Reads the record of the work that the processes of a search did for each other.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace kumiko::io {

/// The record in a folder of a search.
inline constexpr std::string_view kSearchFile = "search.json";

/// True if a folder is that of a search: it has a record, and no summary of a run.
bool holds_search(const std::filesystem::path& folder);

/// Reads a folder's record, as docs/reference/files.md describes it, and checks everything that a
/// reader relies on, such as that numbers of processes refer to processes in the record. \throws
/// RunFolderError
std::shared_ptr<const nlohmann::ordered_json> read_search(const std::filesystem::path& folder);

}  // namespace kumiko::io
