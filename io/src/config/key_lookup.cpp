#include "config/key_lookup.hpp"

#include <algorithm>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include <kumiko/io/nearest.hpp>

#include "config/listed_name.hpp"
#include "text/message.hpp"

namespace kumiko::io {

namespace {

using detail::Setting;
using detail::TableHeader;

std::vector<std::string> key_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const Key& key : schema.keys()) names.push_back(key.spec.name);
  return names;
}

std::vector<std::string> table_names(const Schema& schema) {
  std::set<std::string> names;
  for (const Key& key : schema.keys()) names.emplace(key.table());
  return {names.begin(), names.end()};
}

std::string list_tables(const Schema& schema) {
  return fmt::format("the tables are {}", fmt::join(table_names(schema), ", "));
}

std::string list_keys(const Schema& schema, std::string_view table) {
  std::vector<std::string_view> names;
  for (const Key& key : schema.keys()) {
    if (key.table() == table) names.push_back(key.spec.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The lists of tables in a table, as they follow its keys in a message.
std::string list_lists_in(const Schema& schema, std::string_view table) {
  std::string lists;
  for (const std::string& name : table_names(schema)) {
    if (table_of(name) == table) lists += fmt::format(", and the tables [[{}]]", name);
  }
  return lists;
}

ConfigError unknown_table(const Schema& schema, const Setting& setting) {
  const std::string name = declared_name(setting.key);
  const std::optional<std::string> meant = nearest(name, table_names(schema));
  return ConfigError(fmt::format("{}: unknown table [{}]; {}", setting.where, excerpt(name),
                                 meant ? "did you mean [" + *meant + "]?" : list_tables(schema)));
}

/// True if a file may have a table several times, as [[table]].
bool is_list(const Schema& schema, std::string_view table) {
  return std::ranges::any_of(schema.keys(),
                             [&](const Key& key) { return key.repeated && key.table() == table; });
}

/// Refuses [table] instead of [[table]], and the other way round.
void refuse_other_kind_of_table(const Schema& schema, const Setting& setting,
                                std::string_view table) {
  const bool listed = listed_name(setting.key).has_value();
  if (listed == is_list(schema, table)) return;
  throw ConfigError(listed ? fmt::format("{}: [{}] is one table, not a list; write [{}]",
                                         setting.where, table, table)
                           : fmt::format("{}: '{}' is a list of tables; write [[{}]] in the file, "
                                         "once for each",
                                         setting.where, table, table));
}

}  // namespace

std::string_view table_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

ConfigError unknown_key(const Schema& schema, const Setting& setting) {
  const std::string name = declared_name(setting.key);
  const std::string_view table = table_of(name);
  if (const std::string ranks = schema.other_owners(name); !ranks.empty()) {
    return ConfigError(
        fmt::format("{}: {} is a key of {}, which this run does not have; take it "
                    "out, or name that one by {}.name",
                    setting.where, in_quotes(name), ranks, table));
  }
  std::string remedy;
  if (const std::optional<std::string> meant = nearest(name, key_names(schema))) {
    remedy = fmt::format("did you mean '{}'?", *meant);
  } else if (schema.has_table(table)) {
    remedy = fmt::format("the keys of [{}] are {}", table, list_keys(schema, table));
  } else {
    remedy = list_tables(schema);
  }
  return ConfigError(fmt::format("{}: unknown key {}; {}", setting.where, in_quotes(name), remedy));
}

const Key* key_of(const Schema& schema, const Setting& setting) {
  const std::string name = declared_name(setting.key);
  const bool is_header = std::holds_alternative<TableHeader>(setting.value);
  if (const Key* key = schema.find(name)) {
    // [[key]] is reported later as a value of a wrong type.
    if (!is_header) refuse_other_kind_of_table(schema, setting, table_of(name));
    return key;
  }
  if (!schema.has_table(name)) {
    throw is_header ? unknown_table(schema, setting) : unknown_key(schema, setting);
  }
  refuse_other_kind_of_table(schema, setting, name);
  if (is_header) return nullptr;
  throw ConfigError(fmt::format("{}: {} is a table, not a key; its keys are {}{}", setting.where,
                                in_quotes(name), list_keys(schema, name),
                                list_lists_in(schema, name)));
}

std::set<std::string> headers_of(const std::vector<Setting>& settings) {
  std::set<std::string> headers;
  for (const Setting& setting : settings) {
    if (std::holds_alternative<TableHeader>(setting.value)) headers.insert(setting.key);
  }
  return headers;
}

void refuse_absent_entry(const std::set<std::string>& headers, const Setting& setting) {
  const std::optional<ListedName> listed = listed_name(setting.key);
  if (!listed) return;
  const std::string entry = listed->entry();
  if (headers.contains(entry)) return;
  throw ConfigError(fmt::format("{}: the file has no '{}'; add a [[{}]] there", setting.where,
                                entry, listed->table));
}

}  // namespace kumiko::io
