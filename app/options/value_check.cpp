#include "options/value_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kumiko/io/nearest.hpp>
#include <kumiko/io/read_number.hpp>

namespace kumiko::app {

std::string listed(const std::vector<std::string>& words, std::string_view last) {
  if (words.size() < 2) return fmt::format("{}", fmt::join(words, ""));
  return fmt::format("{} {} {}", fmt::join(words.begin(), words.end() - 1, ", "), last,
                     words.back());
}

ValueCheck one_of(std::vector<std::string> choices) {
  const auto fault = [choices](const std::string& value) -> std::string {
    if (std::ranges::count(choices, value) > 0) return {};
    return fmt::format("'{}' is unknown; it can be {}{}", value, listed(choices),
                       io::did_you_mean(value, choices));
  };
  std::string shown = fmt::format("{{{}}}", fmt::join(choices, ","));
  return {fault, std::move(shown), std::move(choices)};
}

ValueCheck whole_number(std::uint64_t least, std::uint64_t most) {
  return {[least, most](const std::string& value) -> std::string {
    const auto number = io::read_number<std::uint64_t>(value);
    if (!number || *number < least || *number > most) {
      return fmt::format("'{}' is not a whole number from {} to {}", value, least, most);
    }
    // The parser would read digits behind a 0 as octal ones.
    if (value.size() == 1 || value.front() != '0') return {};
    return fmt::format("'{}' has a leading zero; write '{}'", value, *number);
  }};
}

ValueCheck between(std::uint64_t least, std::uint64_t most) {
  return {whole_number(least, most).fault, fmt::format("from {} to {}", least, most)};
}

ValueCheck any_number() {
  return {[](const std::string& value) -> std::string {
    // As the parser reads it, which knows more notations than from_chars().
    char* stop = nullptr;
    const double number = std::strtod(value.c_str(), &stop);
    const bool is_number = !value.empty() && stop == value.c_str() + value.size();
    if (!is_number) return fmt::format("'{}' is not a number", value);
    return std::isfinite(number) ? "" : fmt::format("'{}' is not a finite number", value);
  }};
}

ValueCheck not_empty() {
  return {
      [](const std::string& value) -> std::string { return value.empty() ? "it is empty" : ""; }};
}

}  // namespace kumiko::app
