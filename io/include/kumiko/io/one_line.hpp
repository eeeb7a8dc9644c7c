// Keeps text from outside, such as a file's name or a library's message, from spoiling a terminal.
#pragma once

#include <string>
#include <string_view>

namespace kumiko::io {

/// The text with its control characters written as escapes, "\n" and "\x1b", so that it stays on
/// one line and does nothing to a terminal.
std::string one_line(std::string_view text);

}  // namespace kumiko::io
