#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <kumiko/io/config.hpp>
#include <kumiko/io/nearest.hpp>
#include <kumiko/io/one_line.hpp>
#include <kumiko/io/run_options.hpp>
#include <kumiko/io/shell_word.hpp>

#include "config/core_keys.hpp"
#include "config/key_check.hpp"
#include "config/key_lookup.hpp"
#include "config/listed_name.hpp"
#include "config/overrides.hpp"
#include "config/toml_reader.hpp"
#include "config/toml_writer.hpp"
#include "text/whole_file.hpp"

namespace kumiko::io {

namespace {

using detail::Setting;
using detail::TableHeader;

/// Refuses a key that a file sets by both of its names. Throws ConfigError.
void refuse_both_names(const std::vector<Setting>& settings, const Setting& earlier,
                       std::string_view today) {
  if (is_override(earlier)) return;
  for (const Setting& other : settings) {
    if (other.key != today || is_override(other)) continue;
    throw ConfigError(
        fmt::format("{}: '{}' is called '{}' now, and {} sets that too; take this one out",
                    earlier.where, earlier.key, today, other.where));
  }
}

/// True if a solver or a case may declare the name.
bool may_be_declared(std::string_view name) {
  return name.starts_with("solver.") || name.starts_with("case.");
}

}  // namespace

std::string Config::to_toml() const { return toml_document(values_); }

std::string Config::state_toml() const {
  return toml_document(that_determine(amr::Determines::kState));
}

amr::ParameterSet Config::run_values() const { return that_determine(amr::Determines::kRun); }

/// Keys that solvers and cases declare determine the state.
bool Config::is_of_run(const std::string& name) const {
  static const Schema core;
  const Key* const key = core.find(declared_name(name));
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
    if (setting->key == name && is_override(*setting)) return setting->where;
  }
  return {};
}

std::string ConfigSource::written(std::string_view name) const {
  const auto last = std::find_if(settings_.rbegin(), settings_.rend(),
                                 [&](const Setting& setting) { return setting.key == name; });
  if (last == settings_.rend()) return {};
  if (const auto* text = std::get_if<detail::OverrideText>(&last->value)) return text->text;
  const auto* value = std::get_if<amr::ParameterValue>(&last->value);
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
      if (key.optional || values.contains(name)) continue;
      if (key.required) {
        throw ConfigError(fmt::format("{}: '{}' is missing; add this key ({})", setting.where,
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
  constexpr std::string_view kInterval = ".interval";
  std::vector<std::string> by_interval;
  for (const auto& [name, value] : values.values()) {
    const std::string table = declared_name(name.substr(0, name.rfind('.')));
    const bool has_rows = table == "diagnostics" || table == kRecords;
    if (has_rows && name.ends_with(kInterval) && std::get<double>(value) > 0.0) {
      by_interval.push_back(name.substr(0, name.size() - kInterval.size()) + ".every");
    }
  }
  for (const std::string& every : by_interval) {
    if (!sets(every)) values.set(every, std::int64_t{0});
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
  // Twice the distance that a base step carries over the finest level that is tagged. With a fixed
  // number of steps the CFL number is not known, and 1 is used.
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
    throw ConfigError(
        fmt::format("{}: '{}' is missing; add this key ({})", name_, name, key.spec.help));
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
  for (Setting& setting : source.settings_) {
    if (!beside.names_lines) setting.where = source.name_;
  }
  std::set<std::string> entries;  // of lists
  for (const auto& [key, value] : beside.values.values()) {
    const std::string where = one_line(beside.name);
    if (const auto listed = listed_name(key); listed && entries.insert(listed->entry()).second) {
      source.settings_.push_back({listed->entry(), where, TableHeader{}});
    }
    source.settings_.push_back({key, where, value});
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
    if (error.code() == std::errc::is_a_directory) {
      std::error_code hidden;
      const std::string way =
          std::filesystem::exists(path / "effective.toml", hidden)  // a run's
              ? fmt::format(", or continue its run with kumiko run --restart {}",
                            shell_word(path.string()))
              : std::string();
      throw ConfigError(fmt::format("'{}' is a folder; name a TOML file{}", name, way));
    }
    const char* const remedy = error.code() == std::errc::permission_denied
                                   ? "let this user read it, or give the path of another one"
                                   : "give the path of a TOML file";
    throw ConfigError(
        fmt::format("cannot read '{}': {}; {}", name, error.code().message(), remedy));
  }
  return parse_config(text, path.string(), overrides);
}

}  // namespace kumiko::io
