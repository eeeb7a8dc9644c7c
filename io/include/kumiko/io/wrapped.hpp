// Breaks texts for a terminal into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kumiko::io {

/// The words of a text in lines of `width` bytes at most, unless a word is longer, with `between`
/// between two lines: a line feed and the next line's indentation.
std::string wrapped(std::string_view text, std::size_t width, std::string_view between = "\n");

}  // namespace kumiko::io
