#include "run/same_run.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <kumiko/io/output_folder.hpp>

#include "terminal/counted.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

/// The keys in which two configurations differ, each with both values.
struct Differences {
  std::vector<std::string> refused;  ///< no restart may change them
  std::vector<std::string> course;   ///< a restart may: the lineage tells
};

Differences differences(const Setup& setup, const io::Config& of_earlier) {
  const io::Config& of_asked = setup.config;
  const amr::ParameterSet& asked = of_asked.values();
  const amr::ParameterSet& was = of_earlier.values();
  const bool chooses_anew = asked.at("time.cfl") != was.at("time.cfl");
  // Keys that time.cfl has set are reported with it.
  const auto follows = [&](const std::string& name) {
    return chooses_anew && (name == "time.steps" || name == "amr.interval") &&
           setup.source.written(name).empty();
  };
  constexpr const char* kCase = "case.name";
  const bool is_other_case = asked.at(kCase) != was.at(kCase);  // its keys are others then
  const io::Schema core;
  Differences found;
  const auto value_in = [](const amr::ParameterSet& set, const std::string& name) {
    return set.contains(name) ? io::value_text(set.at(name)) : std::string("none");
  };
  const auto note = [&](const std::string& name) {
    const io::Key* const key = core.find(name);
    if (of_asked.is_of_run(name) && of_earlier.is_of_run(name)) return;
    if (follows(name) || (is_other_case && name.starts_with("case.") && name != kCase)) return;
    const std::string before = value_in(was, name);
    const std::string now = value_in(asked, name);
    // Regions and the parameters of the solver and the case have no fixed keys.
    const bool changes_course =
        key != nullptr ? key->determines != amr::Determines::kState : !name.starts_with("case.");
    if (changes_course) {
      found.course.push_back(fmt::format("{}: {} -> {}", name, before, now));
    } else {
      found.refused.push_back(fmt::format("{} was {} and is now {}", name, before, now));
    }
  };
  for (const auto& [name, value] : asked.values()) {
    if (!was.contains(name) || was.at(name) != value) note(name);
  }
  for (const auto& [name, value] : was.values()) {
    if (!asked.contains(name)) note(name);
  }
  return found;
}

/// The keys that a restart may change: whole tables as "TABLE.*".
std::vector<std::string> changeable_keys() {
  std::map<std::string_view, std::vector<std::string>> by_table;
  std::set<std::string_view> mixed;
  const io::Schema core;
  for (const io::Key& key : core.keys()) {
    if (key.changeable() || key.changes_course()) {
      by_table[key.table()].push_back(key.spec.name);
    } else {
      mixed.insert(key.table());
    }
  }
  std::vector<std::string> all;
  for (const auto& [table, keys] : by_table) {
    if (mixed.contains(table)) {
      all.insert(all.end(), keys.begin(), keys.end());
    } else {
      all.push_back(fmt::format("{}.*", table));
    }
  }
  return all;
}

/// \return the keys that a restart may change and that are changed, as io::Ancestor has them
std::string refuse_differences(const Setup& setup, const Setup& earlier, const std::string& of) {
  const Differences found = differences(setup, earlier.config);
  if (found.refused.empty()) return fmt::format("{}", fmt::join(found.course, "; "));
  throw RequestError(
      "{} was made with other values: {}; restore these values, or begin a new run. A restart may "
      "change {}, and the solver's parameters",
      of, fmt::join(found.refused, ", "), fmt::join(changeable_keys(), ", "));
}

/// Refuses a file with another grid than the setup's. Its keys are the same, so a plugin must
/// have changed.
void refuse_other_grid(const Setup& setup, const std::filesystem::path& file,
                       const io::Checkpoint& checkpoint) {
  if (!checkpoint.geometry) return;
  constexpr const char* kRemedy =
      "its plugin has changed; restart with the one that the run began with, or begin a new run";
  constexpr double kTolerance = 1e-9;
  const auto are_near = [](double a, double b) { return std::abs(a - b) <= kTolerance * b; };
  const amr::Extent was = checkpoint.geometry->extent();
  const amr::Extent is = setup.the_case->extent();
  const std::string of_case =
      fmt::format("case '{}' of '{}'", setup.run.case_name, setup.case_file.string());
  refuse_if(!are_near(was.x, is.x) || !are_near(was.y, is.y),
            "'{}' is of a domain of {:g} by {:g}, but that of {} is {:g} by {:g}: {}",
            file.string(), was.x, was.y, of_case, is.x, is.y, kRemedy);
  const auto components = static_cast<int>(checkpoint.field_names().size());
  refuse_if(components != setup.the_case->components(),
            "'{}' has {} of the field, but {} has {}: {}", file.string(),
            counted(components, "component"), of_case, setup.the_case->components(), kRemedy);
  const amr::Centring centring = setup.solver->traits().centring;
  refuse_if(checkpoint.geometry->centring() != centring,
            "'{}' has values of {}, but solver '{}' of '{}' has values of {}: {}", file.string(),
            checkpoint.geometry->centring() == amr::Centring::kCell ? "cells" : "nodes",
            setup.run.solver_name, setup.solver_file.string(),
            centring == amr::Centring::kCell ? "cells" : "nodes", kRemedy);
}

}  // namespace

std::string check_same_run(const Setup& setup, const std::filesystem::path& file,
                           const io::Checkpoint& checkpoint) {
  // Without the sidecar: its keys may change, and do not keep a run from continuing.
  const Setup earlier = load_setup({.plugins = setup.plugins}, file, checkpoint, {});
  std::string changed = refuse_differences(setup, earlier, fmt::format("'{}'", file.string()));
  // Only now, because other keys may give another grid.
  refuse_other_grid(setup, file, checkpoint);
  for (const std::string& key : earlier.forgotten) {
    print_warning(
        "solver '{}' of '{}' has no such key any more, so that it is left out of '{}': {}",
        setup.run.solver_name, setup.solver_file.string(), file.string(), key);
    changed += fmt::format("{}{} -> none", changed.empty() ? "" : "; ", key);
  }
  return changed;
}

void check_same_run(const Setup& setup, const std::filesystem::path& folder, bool changes) {
  const std::filesystem::path config = folder / io::kConfigurationFile;
  const Setup earlier = [&] {
    try {
      return load_setup({.config = config, .plugins = setup.plugins, .is_of_run = true});
    } catch (const RequestError& error) {
      throw RequestError(
          "'{}' holds no configuration of a run ({}); if it is damaged, remove it: the checkpoint "
          "has the configuration too",
          config.string(), error.what());
    }
  }();
  const std::string of = fmt::format("the run in '{}'", folder.string());
  const std::string changed = refuse_differences(setup, earlier, of);
  refuse_if(!changes && !changed.empty(),
            "{} has other values than the checkpoint (its own -> the checkpoint's): {}; give its "
            "own with --set, or continue the checkpoint in another folder with --output",
            of, changed);
}

}  // namespace kumiko::app
