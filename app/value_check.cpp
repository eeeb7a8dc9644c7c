#include "value_check.hpp"

#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kumiko/io/nearest.hpp>

namespace kumiko::app {

namespace {

/// Reads all of a text as a value. @return whether it is one
template <class Value>
bool read_all(const std::string& text, Value& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

/// "a, b or c"
std::string listed(const std::vector<std::string>& words) {
  if (words.size() < 2) return fmt::format("{}", fmt::join(words, ""));
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

}  // namespace

ValueCheck one_of(std::vector<std::string> choices) {
  return [choices = std::move(choices)](const std::string& value) -> std::string {
    for (const std::string& choice : choices) {
      if (choice == value) return {};
    }
    return fmt::format("'{}' is unknown; it can be {}{}", value, listed(choices),
                       io::did_you_mean(value, choices));
  };
}

std::string in_braces(const std::vector<std::string>& choices) {
  return fmt::format("{{{}}}", fmt::join(choices, ","));
}

ValueCheck whole_number(std::uint64_t least, std::uint64_t most) {
  return [least, most](const std::string& value) -> std::string {
    std::uint64_t number = 0;
    if (read_all(value, number) && number >= least && number <= most) return {};
    return fmt::format("'{}' is not a whole number from {} to {}", value, least, most);
  };
}

ValueCheck any_number() {
  return [](const std::string& value) -> std::string {
    double number = 0.0;
    return read_all(value, number) ? "" : fmt::format("'{}' is not a number", value);
  };
}

ValueCheck not_empty() {
  return [](const std::string& value) { return value.empty() ? "it is empty" : std::string(); };
}

}  // namespace kumiko::app
