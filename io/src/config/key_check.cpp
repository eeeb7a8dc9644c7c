#include "config/key_check.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <kumiko/io/nearest.hpp>
#include <kumiko/io/read_number.hpp>

#include "config/toml_reader.hpp"
#include "config/toml_writer.hpp"
#include "text/message.hpp"

namespace kumiko::io {

namespace {

using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

template <class T>
bool has_type(const Key& key) {
  return std::holds_alternative<T>(key.spec.default_value);
}

std::string with_article(std::string type) {
  if (type == "text") return type;
  return (type.starts_with('i') ? "an " : "a ") + type;
}

/// Where one integer serves for a list of them: see converted().
std::string or_one_integer(const Key& key) {
  return has_type<Integers>(key) && key.list_size > 0 ? " or one integer for all" : "";
}

ValueError wrong_type(const Key& key, std::string_view got) {
  return ValueError(fmt::format("'{}' must be {}{}, not {}", key.spec.name,
                                with_article(type_name(key)), or_one_integer(key), got));
}

/// Integers serve where numbers are asked for, one number where a list of numbers of any size is,
/// and one integer where a list of integers of a known size is.
amr::ParameterValue converted(const Key& key, amr::ParameterValue value) {
  const auto* integers = std::get_if<Integers>(&value);
  if (integers != nullptr && has_type<Numbers>(key)) {
    return Numbers(integers->begin(), integers->end());
  }
  if (has_type<Numbers>(key) && key.list_size == 0) {
    if (const auto* number = std::get_if<double>(&value)) return Numbers{*number};
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      return Numbers{static_cast<double>(*whole)};
    }
  }
  const auto* integer = std::get_if<std::int64_t>(&value);
  if (integer == nullptr) return value;
  if (has_type<double>(key)) return static_cast<double>(*integer);
  if (key.integer_serves) return fmt::format("{}", *integer);
  if (has_type<Integers>(key) && key.list_size > 0) return Integers(key.list_size, *integer);
  return value;
}

void check_choice(const Key& key, const std::string& value) {
  const std::vector<std::string>& choices = key.spec.choices;
  if (choices.empty() || std::ranges::find(choices, value) != choices.end()) return;
  throw ValueError(fmt::format("'{}' is {}; it must be {}{}", key.spec.name, in_quotes(value),
                               choices_text(key), did_you_mean(value, choices)));
}

void check_size(const Key& key, std::size_t size) {
  if (key.list_size == 0 || size == key.list_size) return;
  throw ValueError(fmt::format("'{}' has {} element{}; it must be a {}{}", key.spec.name, size,
                               size == 1 ? "" : "s", type_name(key), or_one_integer(key)));
}

/// True if a text that TOML does not take is an integer all the same, of too many digits.
bool is_too_long(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && !text.starts_with('0') &&
         text.find_first_not_of("0123456789") == text.npos;
}

/// Text needs no quotes on the command line; everything else is written as in a file.
amr::ParameterValue override_value(const Key& key, const std::string& text) {
  const bool is_quoted = !text.empty() && (text.front() == '"' || text.front() == '\'');
  const bool is_text = has_type<std::string>(key);
  // No comments and no second line: what is read must be all there is.
  if (!is_text && text.find_first_of("#\n\r") != std::string::npos) {
    throw wrong_type(key, in_quotes(text));
  }
  const std::optional<amr::ParameterValue> value =
      read_toml_value(is_text && !is_quoted ? toml_string(text) : text);
  if (!value && is_too_long(text)) {
    throw ValueError(
        fmt::format("'{}' is {}, which does not fit into 64 bits", key.spec.name, in_quotes(text)));
  }
  const auto number = is_text ? std::nullopt : read_number<long double>(text);
  if (!value && number && std::fabs(*number) <= std::numeric_limits<double>::max()) {
    throw ValueError(
        fmt::format("'{}' is {}; write the number with digits before and after its point and "
                    "without leading zeros, such as 0.1 or 2",
                    key.spec.name, in_quotes(text)));
  }
  if (!value && number) {
    throw ValueError(fmt::format("'{}' is {}; a number must be finite, 1.7e308 at most",
                                 key.spec.name, in_quotes(text)));
  }
  if (!value) throw wrong_type(key, text.empty() ? "nothing" : in_quotes(text));
  return *value;
}

struct SettingReader {
  const Key& key;

  amr::ParameterValue operator()(const detail::TableHeader&) const {
    throw wrong_type(key, "a table");
  }
  amr::ParameterValue operator()(const detail::ForeignValue& value) const {
    throw wrong_type(key, value.kind);
  }
  amr::ParameterValue operator()(const detail::OverrideText& value) const {
    return override_value(key, value.text);
  }
  amr::ParameterValue operator()(const amr::ParameterValue& value) const { return value; }
};

}  // namespace

std::string type_name(const Key& key) {
  if (has_type<bool>(key)) return "boolean (true or false)";
  if (has_type<std::int64_t>(key)) return "integer";
  if (has_type<double>(key)) return "number";
  if (has_type<std::string>(key)) return "text";
  if (has_type<amr::PointList>(key)) return "list of points [x, y]";
  const char* const element = has_type<Numbers>(key) ? "numbers" : "integers";
  return key.list_size == 0 ? fmt::format("list of {}", element)
                            : fmt::format("list of {} {}", key.list_size, element);
}

std::string choices_text(const Key& key) {
  std::string text;
  const std::vector<std::string>& choices = key.spec.choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += "'" + choices[i] + "'";
  }
  return text;
}

amr::ParameterValue checked_value(const Key& key, amr::ParameterValue value) {
  value = converted(key, std::move(value));
  if (value.index() != key.spec.default_value.index())
    throw wrong_type(key, excerpt(toml_value(value)));
  if (const auto* text = std::get_if<std::string>(&value)) check_choice(key, *text);
  if (const auto* list = std::get_if<Integers>(&value)) check_size(key, list->size());
  if (const auto* list = std::get_if<Numbers>(&value)) check_size(key, list->size());
  if (const auto refusal = amr::refused(key.range, value)) {
    throw ValueError(fmt::format("'{}' is {}; {}", key.spec.name, toml_value(refusal->element),
                                 refusal->wanted));
  }
  return value;
}

amr::ParameterValue checked_setting(const Key& key, const detail::Setting& setting) {
  return checked_value(key, std::visit(SettingReader{key}, setting.value));
}

}  // namespace kumiko::io
