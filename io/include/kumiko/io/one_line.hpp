// Makes text from outside, such as a file's name or a library's message, safe to print on a
// terminal.
#pragma once

#include <string>
#include <string_view>

namespace kumiko::io {

/// The text with its control characters written as escapes, "\n" and "\x1b", so that it stays on
/// one line and has no effect on a terminal.
std::string one_line(std::string_view text);

}  // namespace kumiko::io
