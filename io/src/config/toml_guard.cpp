#include "config/toml_guard.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <kumiko/io/config.hpp>

namespace kumiko::io {

namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// Where a string that opens at `begin` ends, one past its last quote. A string that is not closed
/// ends with its line or, in triple quotes, with the text.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string triple(3, quote);
  const bool is_long = text.substr(begin, 3) == triple;
  std::size_t at = begin + (is_long ? 3 : 1);
  while (at < text.size()) {
    if (text[at] == '\\' && quote == '"') {
      at += 2;
    } else if (is_long && text.substr(at, 3) == triple) {
      // Up to two quotes before the closing three belong to the string.
      const std::size_t after = text.find_first_not_of(quote, at);
      return std::min({after, at + 5, text.size()});
    } else if (!is_long && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    } else {
      ++at;
    }
  }
  return text.size();
}

/// The first byte beyond ASCII outside strings and comments, or npos.
std::size_t find_stray_byte(std::string_view text) {
  std::size_t at =
      text.substr(0, kByteOrderMark.size()) == kByteOrderMark ? kByteOrderMark.size() : 0;
  while (at < text.size()) {
    if (!is_ascii(text[at])) return at;
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (text[at] == '"' || text[at] == '\'') {
      at = end_of_string(text, at);
    } else {
      ++at;
    }
  }
  return std::string_view::npos;
}

void refuse_long_lines(std::string_view text, const std::string& name) {
  std::size_t line = 1;
  while (true) {
    const std::size_t end = text.find('\n');
    if (std::min(end, text.size()) > kLongestLine) {
      throw ConfigError(fmt::format("{}:{}: a line of more than {} bytes; is this a TOML file?",
                                    name, line, kLongestLine));
    }
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
    ++line;
  }
}

}  // namespace

void guard_toml(std::string_view text, const std::string& name) {
  refuse_long_lines(text, name);
  const std::size_t stray = find_stray_byte(text);
  if (stray == std::string_view::npos) return;
  const std::string_view before = text.substr(0, stray);
  throw ConfigError(
      fmt::format("{}:{}: a character that is not ASCII outside quotes and comments; quote it",
                  name, 1 + std::count(before.begin(), before.end(), '\n')));
}

}  // namespace kumiko::io
