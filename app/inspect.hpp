// What the forms of the command `inspect` share.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "request.hpp"

namespace kumiko::app {

/// Compares a finished run's folder, request.file, with its manifest. Throws RequestError for other
/// folders, std::runtime_error that names what is not as it was written.
int inspect_folder(const Request& request);

/// The text of a JSON whose strings may hold anything.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace kumiko::app
