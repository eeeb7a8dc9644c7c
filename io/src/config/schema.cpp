#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/io/schema.hpp>
#include <kumiko/io/wrapped.hpp>

#include "config/core_keys.hpp"
#include "config/key_check.hpp"
#include "config/toml_writer.hpp"

namespace kumiko::io {

namespace {

/// True if every part of a dotted name can stand in TOML without quotes.
bool is_plain(std::string_view name) {
  while (true) {
    const std::size_t dot = name.find('.');
    if (toml_key(name.substr(0, dot)) != name.substr(0, dot)) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

/// True if `name` lies in the table `table`, at any depth.
bool lies_in(std::string_view name, std::string_view table) {
  return name.size() > table.size() && name.starts_with(table) && name[table.size()] == '.';
}

}  // namespace

Schema::Schema() : keys_(core_keys()) {}

void Schema::add(const std::string& table, const std::vector<amr::ParameterSpec>& parameters) {
  for (const amr::ParameterSpec& parameter : parameters) {
    Key key{{.spec = parameter,
             .range = {parameter.minimum, parameter.maximum},
             .determines = amr::Determines::kState}};
    key.spec.name = table + "." + parameter.name;
    amr::require(is_plain(key.spec.name),
                 "the parameter name '{}' of the {} is not made of letters, digits, '_' and '-'",
                 parameter.name, table);
    const bool taken = std::ranges::any_of(keys_, [&](const Key& other) {
      return other.spec.name == key.spec.name || lies_in(key.spec.name, other.spec.name) ||
             lies_in(other.spec.name, key.spec.name);
    });
    amr::require(!taken, "the {} declares '{}', a name that is taken; give it another", table,
                 key.spec.name);
    amr::require(parameter.minimum <= parameter.maximum,
                 "the {} declares that '{}' is at least {:g} and at most {:g}, which no number is",
                 table, key.spec.name, parameter.minimum, parameter.maximum);
    amr::require(
        parameter.choices.empty() || std::holds_alternative<std::string>(parameter.default_value),
        "the {} declares choices of '{}', which is not a text", table, key.spec.name);
    try {
      checked_value(key, key.spec.default_value);
    } catch (const ValueError& refusal) {
      throw std::invalid_argument(
          fmt::format("the {} declares a default that it refuses: {}", table, refusal.what()));
    }
    keys_.push_back(std::move(key));
  }
}

void Schema::note_other(const std::string& table, const std::vector<amr::ParameterSpec>& parameters,
                        const std::string& owner) {
  for (const amr::ParameterSpec& parameter : parameters) {
    others_.push_back({table + "." + parameter.name, owner});
  }
}

std::string Schema::other_owners(std::string_view name) const {
  std::string owners;
  for (const Other& other : others_) {
    if (other.name != name) continue;
    if (!owners.empty()) owners += " or ";
    owners += other.owner;
  }
  return owners;
}

const Key* Schema::find(std::string_view name) const {
  const auto found = std::ranges::find(
      keys_, name, [](const Key& key) -> auto& { return key.spec.name; });
  return found == keys_.end() ? nullptr : &*found;
}

bool Schema::has_table(std::string_view name) const {
  return std::ranges::any_of(keys_, [&](const Key& key) { return lies_in(key.spec.name, name); });
}

std::string value_text(const amr::ParameterValue& value) { return toml_value(value); }

std::string describe_key(const Key& key) {
  std::string type = type_name(key);
  if (!key.spec.choices.empty()) type += ": " + choices_text(key);
  if (const std::string range = amr::range_text(key.range); !range.empty()) type += ", " + range;
  if (key.repeated) type += fmt::format("; in each [[{}]]", key.table());
  if (key.required || key.optional) {
    type += key.required ? "; required" : "; optional";
  } else {
    type += "; default " + toml_value(key.spec.default_value);
  }
  const auto in_lines = [](const std::string& text) {
    constexpr std::size_t kWidth = 94;  // with the indentation, 100 columns
    return wrapped(text, kWidth, "\n      ");
  };
  return fmt::format("{}\n    {}\n    {}\n", key.spec.name, in_lines(key.spec.help),
                     in_lines(type));
}

}  // namespace kumiko::io
