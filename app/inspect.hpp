// What the forms of the command `inspect` share.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace kumiko::app {

/// Compares a finished run's folder with its manifest. Throws RequestError for other
/// folders, std::runtime_error that names what is not as it was written.
int inspect_folder(const std::filesystem::path& folder, bool as_json);

/// The text of a JSON whose strings may hold anything.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace kumiko::app
