#include "config/toml_writer.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "config/listed_name.hpp"

namespace kumiko::io {

namespace {

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

std::string toml_double(double value) {
  std::string text = fmt::format("{}", value);
  // In TOML a point or an exponent makes a number a float.
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

class ValueWriter {
 public:
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return toml_double(value); }
  std::string operator()(const std::string& value) const { return toml_string(value); }
  std::string operator()(const std::array<double, 2>& value) const { return list(value); }
  template <class Element>
  std::string operator()(const std::vector<Element>& value) const {
    return list(value);
  }

 private:
  template <class List>
  std::string list(const List& value) const {
    std::vector<std::string> elements;
    for (const auto& element : value) elements.push_back((*this)(element));
    return fmt::format("[{}]", fmt::join(elements, ", "));
  }
};

/// The tables of lists, "[[amr.region]]", in the order of their indices.
std::string listed_tables(const amr::ParameterSet& values) {
  std::map<std::pair<std::string, std::size_t>, std::string> tables;
  for (const auto& [name, value] : values.values()) {
    const std::optional<ListedName> listed = listed_name(name);
    if (!listed) continue;
    tables[{listed->table, listed->index}] +=
        fmt::format("{} = {}\n", listed->key, toml_value(value));
  }
  std::string text;
  for (const auto& [table, keys] : tables) text += fmt::format("\n[[{}]]\n{}", table.first, keys);
  return text;
}

}  // namespace

std::string toml_key(std::string_view part) {
  const bool bare = !part.empty() && std::all_of(part.begin(), part.end(), is_bare);
  return bare ? std::string(part) : toml_string(part);
}

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\u{:04X}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string toml_value(const amr::ParameterValue& value) {
  return std::visit(ValueWriter{}, value);
}

std::string toml_document(const amr::ParameterSet& values) {
  std::string document;
  std::string open_table;
  // Sorted names keep the keys of a table together.
  for (const auto& [name, value] : values.values()) {
    if (listed_name(name)) continue;
    const std::size_t dot = name.find('.');
    const std::string table = name.substr(0, dot);
    if (table != open_table) {
      document += fmt::format("{}[{}]\n", document.empty() ? "" : "\n", table);
      open_table = table;
    }
    document += fmt::format("{} = {}\n", name.substr(dot + 1), toml_value(value));
  }
  return document + listed_tables(values);
}

}  // namespace kumiko::io
