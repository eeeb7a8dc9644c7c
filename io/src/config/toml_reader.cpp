#include "config/toml_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include <kumiko/io/config.hpp>
#include <kumiko/io/one_line.hpp>

#include "config/toml_writer.hpp"
#include "text/message.hpp"

// The library (3.3) has assertions that fail for wrong documents which it refuses afterwards, e.g.
// "[[[a]]]". Under NDEBUG they become assumptions of the compiler. Neither is wanted. The library
// is the last include of this file, so that no other one is affected.
#undef NDEBUG
#define TOML_ASSERT(condition) static_assert(true)
#include <toml++/toml.h>

namespace kumiko::io {

namespace {

using detail::ForeignValue;
using detail::Setting;
using detail::TableHeader;

constexpr int kDeepestTable = 16;

struct Placed {
  toml::source_position position;
  Setting setting;
};

/// A list of lists of two numbers.
std::optional<amr::PointList> point_list(const toml::array& array) {
  amr::PointList points;
  for (const toml::node& element : array) {
    const toml::array* const pair = element.as_array();
    if (pair == nullptr || pair->size() != 2) return std::nullopt;
    if (!(*pair)[0].is_number() || !(*pair)[1].is_number()) return std::nullopt;
    points.push_back({*(*pair)[0].value<double>(), *(*pair)[1].value<double>()});
  }
  return points.empty() ? std::nullopt : std::optional(std::move(points));
}

/// A list of integers, or, when any of it is not an integer, of numbers; or a list of points.
decltype(Setting::value) array_value(const toml::array& array) {
  if (auto points = point_list(array)) return amr::ParameterValue(std::move(*points));
  std::vector<std::int64_t> integers;
  std::vector<double> numbers;
  for (const toml::node& element : array) {
    const std::optional<double> number =
        element.is_number() ? element.value<double>() : std::nullopt;
    if (!number) return ForeignValue{"a list of something else"};
    numbers.push_back(*number);
    if (const auto* integer = element.as_integer()) integers.push_back(integer->get());
  }
  if (integers.size() < numbers.size()) return amr::ParameterValue(std::move(numbers));
  return amr::ParameterValue(std::move(integers));
}

decltype(Setting::value) node_value(const toml::node& node) {
  if (node.is_table()) return TableHeader{};
  if (const auto* value = node.as_boolean()) return amr::ParameterValue(value->get());
  if (const auto* value = node.as_integer()) return amr::ParameterValue(value->get());
  if (const auto* value = node.as_floating_point()) return amr::ParameterValue(value->get());
  if (const auto* value = node.as_string()) return amr::ParameterValue(value->get());
  if (const auto* value = node.as_array()) return array_value(*value);
  return ForeignValue{"a date or a time"};
}

std::string place(const std::string& name, toml::source_position position) {
  return fmt::format("{}:{}", name, position.line);
}

class Collector {
 public:
  explicit Collector(const std::string& name) : name_(name) {}

  void collect(const toml::table& table, const std::string& prefix, int depth) {
    for (const auto& [key, node] : table) {
      const toml::source_position position = key.source().begin;
      const std::string full = prefix + toml_key(key.str());
      const std::string where = place(name_, position);
      if (depth > kDeepestTable) {
        throw ConfigError(
            fmt::format("{}: the table {} is nested too deeply; no key has more than "
                        "{} parts",
                        where, in_quotes(full), kDeepestTable));
      }
      const toml::array* const list = node.as_array();
      if (list != nullptr && list->is_array_of_tables()) {
        collect_tables(*list, full, depth);
        continue;
      }
      found_.push_back({position, {full, where, node_value(node)}});
      if (const toml::table* inner = node.as_table()) collect(*inner, full + ".", depth + 1);
    }
  }

  std::vector<Setting> in_order() && {
    std::ranges::stable_sort(found_, {}, [](const Placed& placed) {
      return std::pair(placed.position.line, placed.position.column);
    });
    std::vector<Setting> settings;
    for (Placed& placed : found_) settings.push_back(std::move(placed.setting));
    return settings;
  }

 private:
  /// [[name]] for the first time is "name[0]", and so on.
  void collect_tables(const toml::array& tables, const std::string& name, int depth) {
    for (std::size_t index = 0; index < tables.size(); ++index) {
      const toml::source_position position = tables[index].source().begin;
      const std::string full = fmt::format("{}[{}]", name, index);
      found_.push_back({position, {full, place(name_, position), TableHeader{}}});
      collect(*tables[index].as_table(), full + ".", depth + 1);
    }
  }

  const std::string& name_;
  std::vector<Placed> found_;
};

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
  std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
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

/// Refuses, before the library (3.3) reads them, bytes that are not text and documents that would
/// crash it. Throws ConfigError, with the line, if a line is too long for a configuration (because
/// the library recurses into nested tables, whose depth the line's length bounds), and for a
/// character beyond ASCII outside strings and comments (which is not TOML, and which the library
/// partly declares unreachable).
void guard_toml(std::string_view text, const std::string& name) {
  const auto refuse_from = [&](std::size_t at, const char* what) {
    if (at == std::string_view::npos) return;
    const std::string_view before = text.substr(0, at);
    throw ConfigError(
        fmt::format("{}:{}: {}", name, 1 + std::count(before.begin(), before.end(), '\n'), what));
  };
  if (text.starts_with("\x89HDF")) {
    throw ConfigError(name +
                      ": an HDF5 file, where a CASE.toml is expected; to continue a run from "
                      "its checkpoint, give it to --restart");
  }
  const bool is_utf_16 = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  refuse_from(is_utf_16 ? 0 : text.npos, "the text is in UTF-16; save it as UTF-8");
  refuse_from(text.find('\0'), "a zero byte, so this is not a TOML file; name a CASE.toml");
  refuse_long_lines(text, name);
  refuse_from(find_stray_byte(text),
              "a character that is not ASCII outside quotes and comments; quote it");
}

/// A plain message in place of a description that only readers of the TOML grammar understand.
struct PlainWords {
  std::string_view doing;  ///< a part of what it was parsing
  std::string_view found;  ///< a part of what it says of it
  const char* text;
};

constexpr PlainWords kPlainWords[] = {
    {"string", "control characters", "a text has no end in its line; close the quote"},
    {"string", "end-of-file", "a text has no end; close the quote"},
    {"array", "end-of-file", "a list has no end; close the bracket"},
    {"key-value pair", "end-of-file", "the file ends after a key; add '=' and a value"},
    {"", "could not determine value type",
     "this is not a value; quote a text, such as \"cubic\"; numbers, true and false stand without "
     "quotes"},
    {"", "expected 'true', saw", "this is not a value; write true, or quote a text"},
    {"", "expected 'false', saw", "this is not a value; write false, or quote a text"},
    {"", "expected value, saw", "there is no value after '='; add one, or take the key out"},
};

/// Remedies to append to the library's other descriptions.
constexpr std::pair<std::string_view, std::string_view> kRemedies[] = {
    {"redefine", "; remove one of the two"},
    {"could not be interpreted as a value", "; a number must be finite, 1.7e308 at most"},
    {"not representable in 64 bits", "; give a smaller number"},
};

/// The library's description in plain words, or less its account of what it was doing.
std::string syntax_message(const toml::parse_error& error) {
  constexpr std::string_view kDoing = "Error while parsing ";
  std::string message = one_line(error.description());
  std::string doing;
  if (const std::size_t colon = message.find(": ");
      message.starts_with(kDoing) && colon != std::string::npos) {
    doing = message.substr(kDoing.size(), colon - kDoing.size());
    message.erase(0, colon + 2);
  }
  for (const PlainWords& words : kPlainWords) {
    const bool fits = doing.find(words.doing) != std::string::npos &&
                      message.find(words.found) != std::string::npos;
    if (fits) return words.text;
  }
  for (const auto& [found, remedy] : kRemedies) {
    if (message.find(found) != std::string::npos) return message + std::string(remedy);
  }
  return message + "; correct the TOML there";
}

}  // namespace

std::vector<Setting> read_toml(std::string_view text, const std::string& name) {
  guard_toml(text, name);
  try {
    const toml::table document = toml::parse(text, std::string_view(name));
    Collector collector(name);
    collector.collect(document, "", 1);
    return std::move(collector).in_order();
  } catch (const toml::parse_error& error) {
    const toml::source_position position = error.source().begin;
    throw ConfigError(
        fmt::format("{}:{}:{}: {}", name, position.line, position.column, syntax_message(error)));
  }
}

std::optional<amr::ParameterValue> read_toml_value(const std::string& text) {
  try {
    const std::vector<Setting> settings = read_toml("value = " + text, "value");
    if (settings.size() != 1) return std::nullopt;
    const auto* value = std::get_if<amr::ParameterValue>(&settings.front().value);
    return value == nullptr ? std::nullopt : std::optional(*value);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

}  // namespace kumiko::io
