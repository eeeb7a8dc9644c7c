// Checks the values of options.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::app {

/// A check of the values of an option, with messages in plain words.
struct ValueCheck {
  /// The fault of a value; empty without one.
  std::function<std::string(const std::string& value)> fault;
  std::string shown = {};                 ///< next to the option in the help
  std::vector<std::string> choices = {};  ///< all the values, if they are a few words
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

/// Any text but the empty one: an unset variable of a script must not stand for a default.
ValueCheck not_empty();

}  // namespace kumiko::app
