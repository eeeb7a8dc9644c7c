#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <kumiko/io/config.hpp>
#include <kumiko/io/nearest.hpp>
#include <kumiko/io/one_line.hpp>
#include <kumiko/io/run_options.hpp>

#include "config/core_keys.hpp"
#include "config/key_check.hpp"
#include "config/listed_name.hpp"
#include "config/toml_reader.hpp"
#include "config/toml_writer.hpp"
#include "text/message.hpp"
#include "text/whole_file.hpp"

namespace kumiko::io {

namespace {

using detail::Setting;
using detail::TableHeader;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

Setting read_override(const std::string& text) {
  const std::string where = "--set " + excerpt(text);
  const std::size_t equals = text.find('=');
  const std::string key(trimmed(std::string_view(text).substr(0, equals)));
  if (equals == std::string::npos || key.empty()) {
    throw ConfigError(where + ": not of the form KEY=VALUE; write it like --set amr.levels=2");
  }
  const std::string_view value = trimmed(std::string_view(text).substr(equals + 1));
  return {key, where, detail::OverrideText{std::string(value)}};
}

/// Refuses a key that a file sets by both of its names. Throws ConfigError.
void refuse_both_names(const std::vector<Setting>& settings, const Setting& earlier,
                       std::string_view today) {
  if (std::holds_alternative<detail::OverrideText>(earlier.value)) return;
  for (const Setting& other : settings) {
    if (other.key != today || std::holds_alternative<detail::OverrideText>(other.value)) continue;
    throw ConfigError(
        fmt::format("{}: '{}' is called '{}' now, and {} sets that too; take this one out",
                    earlier.where, earlier.key, today, other.where));
  }
}

/// A line for each override that replaces an earlier one by another value.
std::vector<std::string> replaced_overrides(const std::vector<Setting>& settings) {
  std::vector<std::string> lines;
  std::map<std::string_view, const Setting*> last;
  for (const Setting& setting : settings) {
    const auto* const given = std::get_if<detail::OverrideText>(&setting.value);
    if (given == nullptr) continue;
    const Setting*& earlier = last[setting.key];
    if (earlier != nullptr && std::get<detail::OverrideText>(earlier->value).text != given->text) {
      lines.push_back(fmt::format("{} replaces {}", setting.where, earlier->where));
    }
    earlier = &setting;
  }
  return lines;
}

/// The part of a dotted name before its last dot; empty without one.
std::string_view table_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

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

/// The tables in a table of which a file may have several, as they follow its keys in a message.
std::string list_lists_in(const Schema& schema, std::string_view table) {
  std::string lists;
  for (const std::string& name : table_names(schema)) {
    if (table_of(name) == table) lists += fmt::format(", and the tables [[{}]]", name);
  }
  return lists;
}

/// The name under which the key of a setting would be declared.
std::string declared_name(const Setting& setting) {
  const std::optional<ListedName> listed = listed_name(setting.key);
  return listed ? listed->declared() : setting.key;
}

ConfigError unknown_table(const Schema& schema, const Setting& setting) {
  const std::string name = declared_name(setting);
  const std::optional<std::string> meant = nearest(name, table_names(schema));
  return ConfigError(fmt::format("{}: unknown table [{}]; {}", setting.where, excerpt(name),
                                 meant ? "did you mean [" + *meant + "]?" : list_tables(schema)));
}

/// Whether a table may be there several times, as [[table]].
bool is_list(const Schema& schema, std::string_view table) {
  return std::ranges::any_of(schema.keys(),
                             [&](const Key& key) { return key.repeated && key.table() == table; });
}

ConfigError unknown_key(const Schema& schema, const Setting& setting) {
  const std::string name = declared_name(setting);
  const std::string_view table = table_of(name);
  if (const std::string owners = schema.other_owners(name); !owners.empty()) {
    return ConfigError(
        fmt::format("{}: {} is a key of {}, which this run does not have; take it "
                    "out, or name that one by {}.name",
                    setting.where, in_quotes(name), owners, table));
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

/// Refuses [table] where [[table]] is meant, and the other way round.
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

/// The key that a setting is for; nullptr for the header of a known table. Throws ConfigError.
const Key* key_of(const Schema& schema, const Setting& setting) {
  const std::string name = declared_name(setting);
  const bool is_header = std::holds_alternative<TableHeader>(setting.value);
  if (const Key* key = schema.find(name)) {
    // [[key]] is a wrong type, which is told as such.
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

/// The keys of tables that the file has.
std::set<std::string> headers_of(const std::vector<Setting>& settings) {
  std::set<std::string> headers;
  for (const Setting& setting : settings) {
    if (std::holds_alternative<TableHeader>(setting.value)) headers.insert(setting.key);
  }
  return headers;
}

/// Refuses a value for a table of a list that the file does not have.
void refuse_absent_entry(const std::set<std::string>& headers, const Setting& setting) {
  const std::optional<ListedName> listed = listed_name(setting.key);
  if (!listed) return;
  const std::string entry = listed->entry();
  if (headers.contains(entry)) return;
  throw ConfigError(fmt::format("{}: the file has no '{}'; add a [[{}]] there", setting.where,
                                entry, listed->table));
}

constexpr const char* kSteps = "time.steps";
constexpr const char* kCfl = "time.cfl";

/// Whether it is the number 0, which leaves the choice to the other key.
bool is_zero(const detail::OverrideText& number) {
  return number.text.find_first_not_of("0.") == std::string::npos;
}

/// Where the command line gives the CFL number, or the number of steps, and the file the other one,
/// the file's goes.
void drop_other_step(std::vector<Setting>& settings) {
  const auto is_override = [](const Setting& setting) {
    return std::holds_alternative<detail::OverrideText>(setting.value);
  };
  const auto gives = [&](const char* key) {
    return std::ranges::any_of(settings, [&](const Setting& setting) {
      return setting.key == key && is_override(setting) &&
             !is_zero(std::get<detail::OverrideText>(setting.value));
    });
  };
  const auto replace = [&](const char* given, const char* other) {
    if (!gives(given) || gives(other)) return;
    std::erase_if(settings, [&](const Setting& setting) {
      return setting.key == other && !is_override(setting);
    });
  };
  replace(kSteps, kCfl);
  replace(kCfl, kSteps);
}

/// Whether a solver or a case may declare the name.
bool may_be_declared(std::string_view name) {
  return name.starts_with("solver.") || name.starts_with("case.");
}

constexpr const char* kSolverName = "solver.name";
constexpr const char* kCaseName = "case.name";

/// Where the command line names another solver, or case, than the file, the file's other keys of
/// its table are about one that this run does not have: takes them out.
/// \param name_key  kSolverName or kCaseName
/// \param fallback  the name where the file has none
void drop_replaced(std::vector<Setting>& settings, std::string_view name_key,
                   std::string_view fallback) {
  std::string_view named = fallback;
  std::string_view wanted;
  for (const Setting& setting : settings) {
    if (setting.key != name_key) continue;
    if (const auto* value = std::get_if<amr::ParameterValue>(&setting.value)) {
      if (const auto* text = std::get_if<std::string>(value)) named = *text;
    } else if (const auto* text = std::get_if<detail::OverrideText>(&setting.value)) {
      wanted = text->text;
    }
  }
  if (wanted.empty() || wanted == named) return;
  const std::string prefix = std::string(table_of(name_key)) + ".";
  std::erase_if(settings, [&](const Setting& setting) {
    return !std::holds_alternative<detail::OverrideText>(setting.value) &&
           setting.key != name_key && setting.key.starts_with(prefix);
  });
}

}  // namespace

std::string Config::to_toml() const { return toml_document(values_); }

std::string Config::state_toml() const {
  return toml_document(that_determine(amr::Determines::kState));
}

amr::ParameterSet Config::run_values() const { return that_determine(amr::Determines::kRun); }

/// What solvers and cases declare, and regions, determine the state.
bool Config::is_of_run(const std::string& name) const {
  static const Schema core;
  const Key* const key = core.find(name);
  if (key == nullptr || key->determines != amr::Determines::kRun) return false;
  const bool sets_steps = name == "output.interval" || name == "output.times";
  return !sets_steps || !values_.flag("output.exact");
}

amr::ParameterSet Config::that_determine(amr::Determines what) const {
  amr::ParameterSet chosen;
  for (const auto& [name, value] : values_.values()) {
    if (is_of_run(name) == (what == amr::Determines::kRun)) chosen.set(name, value);
  }
  return chosen;
}

Config Config::with(const std::string& name, amr::ParameterValue value) const {
  Config other = *this;
  other.values_.set(name, std::move(value));
  return other;
}

amr::ParameterSet Config::parameters_of(std::string_view prefix) const {
  static const Schema core;
  amr::ParameterSet parameters;
  for (const auto& [name, value] : values_.values()) {
    if (!name.starts_with(prefix) || core.find(name) != nullptr) continue;
    parameters.set(name.substr(prefix.size()), value);
  }
  return parameters;
}

std::string ConfigSource::override_of(std::string_view name) const {
  for (auto setting = settings_.rbegin(); setting != settings_.rend(); ++setting) {
    const bool is_override = std::holds_alternative<detail::OverrideText>(setting->value);
    if (setting->key == name && is_override) return setting->where;
  }
  return {};
}

std::string ConfigSource::written(std::string_view name) const {
  const auto last = std::find_if(settings_.rbegin(), settings_.rend(),
                                 [&](const Setting& setting) { return setting.key == name; });
  if (last == settings_.rend()) return {};
  if (const auto* text = std::get_if<detail::OverrideText>(&last->value)) return text->text;
  const auto* chosen = std::get_if<detail::ChosenValue>(&last->value);
  const auto* value = chosen ? &chosen->value : std::get_if<amr::ParameterValue>(&last->value);
  if (value == nullptr) return {};
  const auto* word = std::get_if<std::string>(value);
  return word ? *word : toml_value(*value);
}

ConfigError ConfigSource::error(std::string_view name, const std::string& message) const {
  const auto last = std::find_if(settings_.rbegin(), settings_.rend(),
                                 [&](const Setting& setting) { return setting.key == name; });
  return ConfigError((last == settings_.rend() ? name_ : last->where) + ": " + message);
}

ConfigError ConfigSource::error(const amr::OptionError& refusal) const {
  const Key* const key = key_of_option(refusal.option);
  if (key == nullptr) return ConfigError(name_ + ": " + with_keys(refusal.what()));
  ListedName listed{std::string(key->table()), refusal.region.value_or(0), ""};
  const std::string name =
      key->repeated ? fmt::format("{}.{}", listed.entry(), key->option) : key->spec.name;
  return error(name, fmt::format("'{}' is {}; {}", key->spec.name, with_keys(refusal.value),
                                 with_keys(refusal.wanted)));
}

amr::ParameterSet ConfigSource::values(const Schema& schema, bool core_only) const {
  amr::ParameterSet values;
  for (const Key& key : schema.keys()) {
    if (!key.repeated) values.set(key.spec.name, key.spec.default_value);
  }
  const std::set<std::string> headers = headers_of(settings_);
  for (const Setting& setting : settings_) {
    const bool later = schema.find(setting.key) == nullptr && may_be_declared(setting.key);
    if (core_only && later) continue;
    const Key* key = key_of(schema, setting);
    if (key == nullptr) continue;
    refuse_absent_entry(headers, setting);
    try {
      values.set(setting.key, checked_setting(*key, setting));
    } catch (const ValueError& refusal) {
      throw ConfigError(setting.where + ": " + refusal.what());
    }
  }
  refuse_missing(schema);
  complete_lists(schema, values);
  complete_steps(values);
  complete_rows(values);
  return values;
}

void ConfigSource::complete_lists(const Schema& schema, amr::ParameterSet& values) const {
  for (const Setting& setting : settings_) {
    const std::optional<ListedName> listed = listed_name(setting.key);
    if (!listed || !std::holds_alternative<TableHeader>(setting.value)) continue;
    for (const Key& key : schema.keys()) {
      if (!key.repeated || key.table() != listed->table) continue;
      const std::string name = listed->entry() + key.spec.name.substr(listed->table.size());
      if (values.contains(name)) continue;
      if (key.required) {
        throw ConfigError(fmt::format("{}: '{}' is missing; add it: {}", setting.where,
                                      key.spec.name, key.spec.help));
      }
      values.set(name, key.spec.default_value);
    }
  }
}

bool ConfigSource::sets(std::string_view name) const {
  return std::ranges::find(settings_, name, &Setting::key) != settings_.end();
}

void ConfigSource::complete_rows(amr::ParameterSet& values) const {
  constexpr const char* kEvery = "diagnostics.every";
  if (values.number("diagnostics.interval") > 0.0 && !sets(kEvery)) {
    values.set(kEvery, std::int64_t{0});
  }
}

void ConfigSource::complete_steps(amr::ParameterSet& values) const {
  const auto set = [&](const char* key, std::int64_t value) {
    if (!sets(key)) values.set(key, value);
  };
  const double cfl = values.number(kCfl);
  if (cfl > 0.0) {
    set(kSteps, 0);
    set("amr.interval", 0);
  }
  if (values.integer("amr.interval") != 0 && cfl == 0.0) return;
  // Twice the distance that a base step carries over the finest level that is tagged. A fixed
  // number of steps does not tell its CFL number; 1 stands for it.
  const std::int64_t finer = values.flag("step.subcycling") ? values.integer("amr.levels") - 2 : 0;
  const double substeps = std::exp2(std::max<std::int64_t>(0, finer));
  const auto buffer =
      static_cast<std::int64_t>(std::ceil(2.0 * (cfl > 0.0 ? cfl : 1.0) * substeps));
  constexpr std::int64_t kLeast = 2;
  set("amr.buffer", std::clamp<std::int64_t>(buffer, kLeast, amr::kPatchSize));
}

void ConfigSource::refuse_missing(const Schema& schema) const {
  for (const Key& key : schema.keys()) {
    const std::string& name = key.spec.name;
    if (!key.required || key.repeated) continue;
    if (sets(name)) continue;
    // A misspelled name is the likeliest reason.
    for (const Setting& setting : settings_) {
      const bool is_known = schema.find(setting.key) || schema.has_table(setting.key);
      const bool is_header = std::holds_alternative<TableHeader>(setting.value);
      if (!is_known && !is_header && nearest(setting.key, {name})) {
        throw unknown_key(schema, setting);
      }
    }
    throw ConfigError(fmt::format("{}: '{}' is missing; add it: {}", name_, name, key.spec.help));
  }
}

ConfigSource ConfigSource::with_solver(const std::string& name, const std::string& where) const {
  ConfigSource other = *this;
  other.settings_.push_back({kSolverName, where, detail::OverrideText{name}});
  drop_replaced(other.settings_, kSolverName, other.core_.text(kSolverName));
  other.core_ = other.values(Schema(), true);
  return other;
}

ConfigSource ConfigSource::without_unknown(const Schema& schema, std::string_view table,
                                           std::vector<std::string>& left_out) const {
  ConfigSource other = *this;
  std::erase_if(other.settings_, [&](const Setting& setting) {
    const auto* value = std::get_if<amr::ParameterValue>(&setting.value);
    if (value == nullptr || table_of(setting.key) != table || schema.find(setting.key)) {
      return false;
    }
    left_out.push_back(fmt::format("{}: {}", setting.key, value_text(*value)));
    return true;
  });
  return other;
}

ConfigSource ConfigSource::with(const Changes& changes) const {
  ConfigSource other = *this;
  for (const auto& [key, value] : changes) {
    other.settings_.push_back(
        {key, fmt::format("{} = {}", key, toml_value(value)), detail::ChosenValue{value}});
  }
  other.core_ = other.values(Schema(), true);
  return other;
}

void ConfigSource::complete_threshold(const Schema& schema, amr::ParameterSet& values) const {
  constexpr const char* kAt = "amr.threshold_at";
  if (values.integer("amr.threshold_order") == 0 || values.integer(kAt) != 0) return;
  const Key& grid = *schema.find("grid.base");
  amr::ParameterValue base = grid.spec.default_value;
  for (const Setting& setting : settings_) {
    const bool is_files = std::holds_alternative<amr::ParameterValue>(setting.value);
    if (setting.key == grid.spec.name && is_files) base = checked_setting(grid, setting);
  }
  values.set(kAt, std::get<std::vector<std::int64_t>>(base).front());
}

Config ConfigSource::check(const Schema& schema) const {
  amr::ParameterSet all = values(schema, false);
  complete_threshold(schema, all);
  try {
    const auto simulation = read<amr::SimulationOptions>(all);
    const int stop = read<RunOptions>(all).stop_step;
    if (simulation.steps > 0 && stop > simulation.steps) {
      throw amr::OptionError("time.stop_step", fmt::format("{}", stop),
                             fmt::format("it must be at most `steps`, {}", simulation.steps));
    }
    amr::check(simulation);
  } catch (const amr::OptionError& refusal) {
    throw error(refusal);
  }
  return Config(std::move(all));
}

ConfigSource parse_config(std::string_view text, const std::string& name,
                          const std::vector<std::string>& overrides, const ValuesBeside& beside) {
  ConfigSource source;
  source.name_ = one_line(name);
  source.settings_ = read_toml(text, source.name_);
  for (const auto& [key, value] : beside.values.values()) {
    source.settings_.push_back({key, one_line(beside.name), value});
  }
  for (const std::string& override_text : overrides) {
    source.settings_.push_back(read_override(override_text));
  }
  for (Setting& setting : source.settings_) {
    const std::string_view today = name_today(setting.key);
    if (today == setting.key) continue;
    refuse_both_names(source.settings_, setting, today);
    source.notes_.push_back(
        fmt::format("{}: '{}' is called '{}' now", setting.where, setting.key, today));
    setting.key = today;
  }
  std::ranges::move(replaced_overrides(source.settings_), std::back_inserter(source.notes_));
  drop_replaced(source.settings_, kSolverName,
                std::get<std::string>(Schema().find(kSolverName)->spec.default_value));
  drop_replaced(source.settings_, kCaseName, "");
  drop_other_step(source.settings_);
  source.core_ = source.values(Schema(), true);
  return source;
}

ConfigSource read_config(const std::filesystem::path& path,
                         const std::vector<std::string>& overrides) {
  constexpr std::size_t kLargest = std::size_t{1} << 20;  // far above any configuration
  std::string text;
  try {
    text = read_whole_file(path, kLargest);
  } catch (const std::system_error& error) {
    const std::string name = one_line(path.string());
    if (error.code() == std::errc::file_too_large) {
      throw ConfigError(fmt::format(
          "'{}' is too large for a CASE.toml; to continue from a checkpoint or a state, "
          "name it with --restart",
          name));
    }
    throw ConfigError(fmt::format("cannot read '{}': {}; give the path of a TOML file", name,
                                  error.code().message()));
  }
  return parse_config(text, path.string(), overrides);
}

}  // namespace kumiko::io
