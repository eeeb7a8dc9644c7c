// What the values of options are checked for: messages in plain words, with what they can be.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kumiko::app {

/// Says what is wrong with a value; empty where nothing is.
using ValueCheck = std::function<std::string(const std::string&)>;

/// One of these; the message names them all, and the nearest one.
ValueCheck one_of(std::vector<std::string> choices);
/// The choices as the help shows them.
std::string in_braces(const std::vector<std::string>& choices);

/// A whole number within these.
ValueCheck whole_number(std::uint64_t least, std::uint64_t most);

/// Any number.
ValueCheck any_number();

/// An unset variable of a script must not stand for a default.
ValueCheck not_empty();

}  // namespace kumiko::app
