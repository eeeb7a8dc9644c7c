// Pieces of error messages.
#pragma once

#include <string>
#include <string_view>

namespace kumiko::io {

/// The text with its control characters written as escapes, so that it stays on one line.
std::string one_line(std::string_view text);

/// one_line(), cut with "..." where it is longer than what helps to recognise it.
std::string excerpt(std::string_view text);

/// "'text'", as an excerpt.
std::string in_quotes(std::string_view text);

}  // namespace kumiko::io
