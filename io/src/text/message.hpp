// Quotes and shortens text that comes from outside, for error messages.
#pragma once

#include <string>
#include <string_view>

namespace kumiko::io {

/// one_line(), cut with "..." where it is longer than what helps to recognise it.
std::string excerpt(std::string_view text);

/// "'text'", as an excerpt.
std::string in_quotes(std::string_view text);

/// "1 field", "2 fields": as many of what has a name with a plain plural.
std::string counted(std::size_t count, std::string_view name);

}  // namespace kumiko::io
