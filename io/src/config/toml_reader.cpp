#include "config/toml_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include <kumiko/io/config.hpp>

#include "config/toml_guard.hpp"
#include "config/toml_writer.hpp"
#include "text/message.hpp"

// The library (3.3) asserts on wrong documents that it goes on to refuse, e.g. "[[[a]]]", and under
// NDEBUG turns these assertions into promises to the compiler. Neither is wanted, and last in this
// file's includes nothing else is touched.
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

/// A list of integers, or, when any of it is not an integer, of numbers.
decltype(Setting::value) array_value(const toml::array& array) {
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
    std::stable_sort(found_.begin(), found_.end(), [](const Placed& a, const Placed& b) {
      return std::pair(a.position.line, a.position.column) <
             std::pair(b.position.line, b.position.column);
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

/// The library's description, less its account of what it was doing.
std::string syntax_message(const toml::parse_error& error) {
  std::string message = one_line(error.description());
  if (message.rfind("Error while parsing ", 0) == 0) {
    const std::size_t colon = message.find(": ");
    if (colon != std::string::npos) message.erase(0, colon + 2);
  }
  const bool duplicate = message.find("redefine") != std::string::npos;
  return message + (duplicate ? "; remove one of the two" : "; correct the TOML there");
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
