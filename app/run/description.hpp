// Describes a setup as JSON, for programs that plan runs of it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "run/setup.hpp"

namespace kumiko::app {

/// The effective configuration, and what the case and the solver declare, as
/// docs/reference/files.md has it.
nlohmann::ordered_json description_of(const Setup& setup);

}  // namespace kumiko::app
