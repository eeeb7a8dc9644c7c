// Refuses beforehand what the TOML library (3.3) does not survive.
#pragma once

#include <string>
#include <string_view>

namespace kumiko::io {

/// Throws ConfigError, with the line, for a text with a line too long for a configuration (the
/// library recurses into nested tables, whose depth the line's length bounds), and for a character
/// beyond ASCII outside strings and comments (no TOML; the library declares some unreachable).
void guard_toml(std::string_view text, const std::string& name);

}  // namespace kumiko::io
