// Reads a text that is a number.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace kumiko::io {

/// The number that the whole text represents; nothing if the text is not a number.
template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace kumiko::io
