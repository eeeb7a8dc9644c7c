// What the values of options are checked for: messages in plain words, with what they can be.
#pragma once

#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::app {

/// The number that all of a text is; nothing where it is not one.
template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

struct ValueCheck {
  /// Says what is wrong with a value; empty where nothing is.
  std::function<std::string(const std::string& value)> fault;
  std::string shown = {};  ///< beside the option in the help
};

/// "a, b or c"
std::string listed(const std::vector<std::string>& words, std::string_view last = "or");

/// One of these; the message names them all, and the nearest one.
ValueCheck one_of(std::vector<std::string> choices);

/// A whole number within these, without a 0 in front of others.
ValueCheck whole_number(std::uint64_t least, std::uint64_t most);
/// A whole number within these, which the help shows.
ValueCheck between(std::uint64_t least, std::uint64_t most);

/// Any finite number.
ValueCheck any_number();

/// An unset variable of a script must not stand for a default.
ValueCheck not_empty();

}  // namespace kumiko::app
