// Starts the Python package of studies, which lies in share/kumiko/python next to the program.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace kumiko::app {

/// Throws RequestError where Python or the package is missing, for a study that begins with work.
void check_laboratory(const std::string& study);

/// Becomes a study: replaces this program by Python's, which keeps its standard streams, its
/// folder and its exit codes. Returns only by an exception, as check_laboratory() throws it.
///
/// \param study  "compare", "scaling", "simulate" or "table"
///
/// \param request  the fields of the study's request in the package
[[noreturn]] void become_study(const std::string& study, nlohmann::ordered_json request);

}  // namespace kumiko::app
