#include "config/core_keys.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <kumiko/amr/simulation_options.hpp>
#include <kumiko/io/run_options.hpp>

#include "config/listed_name.hpp"
#include "config/toml_writer.hpp"

namespace kumiko::io {

namespace {

constexpr const char* kRegions = "amr.region";

/// The options of a struct as keys: of the table, except those that have keys elsewhere. Without a
/// table their names are keys.
template <class Options>
void add(std::vector<Key>& keys, std::string_view table,
         const std::map<std::string_view, std::string_view>& elsewhere = {}) {
  for (const amr::OptionField<Options>& option : amr::fields<Options>()) {
    Key key{option};
    key.option = option.spec.name;
    const auto other = elsewhere.find(key.option);
    if (other != elsewhere.end()) {
      key.spec.name = other->second;
    } else if (!table.empty()) {
      key.spec.name = fmt::format("{}.{}", table, key.option);
    }
    key.repeated = table == kRegions || std::is_same_v<Options, RecordOptions>;
    keys.push_back(std::move(key));
  }
}

/// Replaces names of options in backticks by their keys.
std::string with_keys_of(const std::vector<Key>& keys, std::string text) {
  for (const Key& key : keys) {
    const std::string option = "`" + key.option + "`";
    for (std::size_t at = 0; (at = text.find(option, at)) != std::string::npos;) {
      text.replace(at, option.size(), "'" + key.spec.name + "'");
    }
  }
  return text;
}

std::vector<Key> made_keys() {
  std::vector<Key> keys;
  add<amr::SimulationOptions>(keys, "step",
                              {{"points", "grid.base"},
                               {"levels", "amr.levels"},
                               {"steps", "time.steps"},
                               {"cfl", "time.cfl"},
                               {"end_time", "time.end"},
                               {"keep_state", "checkpoint.when_run_fails"},
                               {"partition", "ranks.partition"},
                               {"balance", "ranks.balance"}});
  add<amr::RefinementOptions>(keys, "amr");
  add<amr::RefinementRegion>(keys, kRegions);
  add<RunOptions>(keys, "");
  add<RecordOptions>(keys, "");
  std::ranges::stable_sort(keys, {}, &Key::table);
  for (Key& key : keys) key.spec.help = with_keys_of(keys, key.spec.help);
  return keys;
}

/// \param table  where the options stand, unless their keys have places of their own
template <class Options>
Options read_fields(const amr::ParameterSet& values, const std::string& table = {}) {
  Options options;
  for (const amr::OptionField<Options>& option : amr::fields<Options>()) {
    const std::string& name = option.spec.name;
    const amr::ParameterValue& value = values.at(table.empty() ? key_of_option(name)->spec.name
                                                               : fmt::format("{}.{}", table, name));
    try {
      option.set(options, value);
    } catch (const std::invalid_argument& error) {
      throw amr::OptionError(name, toml_value(value), error.what());
    }
  }
  return options;
}

}  // namespace

const std::vector<Key>& core_keys() {
  static const std::vector<Key> keys = made_keys();
  return keys;
}

std::string_view name_today(std::string_view key) {
  constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
      {"output.figures", "output.extras"}};
  for (const auto& [before, today] : kRenamed) {
    if (key == before) return today;
  }
  return key;
}

const Key* key_of_option(std::string_view option) {
  const std::vector<Key>& keys = core_keys();
  const auto found = std::ranges::find(keys, option, &Key::option);
  return found == keys.end() ? nullptr : &*found;
}

std::string with_keys(std::string_view text) {
  return with_keys_of(core_keys(), std::string(text));
}

template <>
amr::SimulationOptions read<amr::SimulationOptions>(const amr::ParameterSet& values) {
  auto options = read_fields<amr::SimulationOptions>(values);
  options.refinement = read_fields<amr::RefinementOptions>(values);
  auto& regions = options.refinement.regions;
  while (true) {
    const std::string entry = ListedName{kRegions, regions.size(), ""}.entry();
    if (!values.contains(entry + ".x")) return options;
    regions.push_back(read_fields<amr::RefinementRegion>(values, entry));
  }
}

template <>
RunOptions read<RunOptions>(const amr::ParameterSet& values) {
  auto options = read_fields<RunOptions>(values);
  while (true) {
    const std::string entry = ListedName{kRecords, options.records.size(), ""}.entry();
    if (!values.contains(entry + ".name")) return options;
    RecordOptions& record = options.records.emplace_back();
    for (const amr::OptionField<RecordOptions>& option : amr::fields<RecordOptions>()) {
      const std::string name = entry + option.spec.name.substr(std::string_view(kRecords).size());
      if (values.contains(name)) option.set(record, values.at(name));
    }
  }
}

}  // namespace kumiko::io
