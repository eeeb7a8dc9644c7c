// Quotes text for the shell.
#pragma once

#include <string>
#include <string_view>

namespace kumiko::io {

/// The text as one word of a POSIX shell: as it is where that is safe, else in single quotes.
std::string shell_word(std::string_view text);

}  // namespace kumiko::io
