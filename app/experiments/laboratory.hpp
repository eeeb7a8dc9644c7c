// Starts the Python package of studies, which lies in share/kumiko/python next to the program.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace kumiko::app {

/// Becomes a study: replaces this program by Python's, which keeps its standard streams, its
/// folder and its exit codes. Returns only by an exception: RequestError where Python or the
/// package is missing.
///
/// \param study  "compare", "scaling" or "table"
///
/// \param request  the fields of the study's request in the package
[[noreturn]] void become_study(const std::string& study, nlohmann::ordered_json request);

/// Draws the figures of predictions from their JSON in a folder, and waits. Where Python or
/// matplotlib is missing, prints a note instead.
/// \param name  of the JSON: "simulate" or "ranks"
void draw_predictions(const std::filesystem::path& folder, const std::string& name);

}  // namespace kumiko::app
