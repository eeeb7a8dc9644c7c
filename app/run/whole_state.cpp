#include "run/whole_state.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/shell_word.hpp>
#include <kumiko/io/state_writer.hpp>

#include "terminal/named_path.hpp"
#include "terminal/request.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace fs = std::filesystem;

namespace {

/// How to begin anew is with the configuration that the run has left, if it has.
RequestError no_whole_checkpoint(const fs::path& folder, const StateOption& option) {
  const fs::path configuration = folder / io::kConfigurationFile;
  std::error_code hidden;
  if (&option == &kFromOption || !fs::is_regular_file(configuration, hidden)) {
    return RequestError("{}: '{}' has no whole checkpoint; name a run's folder that has one",
                        option.name, folder.string());
  }
  return RequestError(
      "--restart: '{}' has no whole checkpoint; begin the run anew, with the same --plugin-path if "
      "there was one: kumiko run {} --overwrite --output {}",
      folder.string(), io::shell_word(configuration.string()), io::shell_word(folder.string()));
}

/// A whole checkpoint that a run can continue from. One with values that are not finite counts as
/// damaged. Extras of patches are not checked, because no run continues from them. The values stay
/// in the file until their patches get them.
io::Checkpoint read_good(const fs::path& file) {
  const auto check = [&](const io::Checkpoint& checkpoint, const amr::PatchId& id,
                         std::span<const double> record) {
    const std::size_t own = checkpoint.field_names().size();
    const std::span<const double> values = record.first(own * amr::kPatchPoints);
    const auto odd = std::ranges::find_if_not(values, [](double v) { return std::isfinite(v); });
    if (odd == values.end()) return;
    const auto component = static_cast<std::size_t>(odd - values.begin()) / amr::kPatchPoints;
    throw io::DamagedCheckpoint(
        fmt::format("'{}' holds values that are not finite ('{}' in {} is {})", file.string(),
                    checkpoint.attributes.component_names[component], to_string(id), *odd));
  };
  return io::open_checkpoint(file, check);
}

/// The restart from a checkpoint, which does without its sidecar where it must.
Restart with_sidecar(const fs::path& file, io::Checkpoint checkpoint,
                     std::vector<fs::path> damaged = {}) {
  Restart restart{file, std::move(checkpoint), std::move(damaged)};
  restart.sidecar_fault = read_sidecar_of(file, restart.checkpoint);
  return restart;
}

/// "; 'FILE' is whole", of the newest one before `file` that is; empty where none is.
std::string earlier_one(const fs::path& file) {
  const auto all = stored_states(file.has_parent_path() ? file.parent_path() : ".");
  const auto named = std::ranges::find_if(
      all, [&](const auto& entry) { return entry.second.filename() == file.filename(); });
  for (auto other = named == all.end() ? all.begin() : std::next(named); other != all.end();
       ++other) {
    try {
      read_good(other->second);
      return fmt::format("; '{}' is whole", other->second.string());
    } catch (const io::CheckpointError&) {
      continue;
    }
  }
  return {};
}

}  // namespace

std::multimap<std::int64_t, fs::path, std::greater<>> stored_states(const fs::path& folder) {
  std::multimap<std::int64_t, fs::path, std::greater<>> all;
  for (const std::string_view pattern : {io::kCheckpointFiles, io::kStateFiles}) {
    for (const auto& [step, file] : io::OutputFolder::numbered(folder, pattern)) {
      all.emplace(step, file);
    }
  }
  return all;
}

Restart read_named(const fs::path& file, const StateOption& option) {
  if (type_of_named(file) == fs::file_type::not_found) {
    throw RequestError(
        "{}: there is no file '{}'; name a checkpoint or a state, or a run's folder{}", option.name,
        file.string(), earlier_one(file));
  }
  try {
    return with_sidecar(file, read_good(file));
  } catch (const io::CheckpointError& error) {
    const std::string earlier = earlier_one(file);
    const fs::path home = file.has_parent_path() ? file.parent_path() : ".";
    const std::string remedy =
        newest_checkpoint(home)
            ? fmt::format("; no earlier checkpoint in its folder is whole, so {}",
                          option.without_any)
            : remedy_of(error);
    throw RequestError("{}: {}{}", option.name, error.what(), earlier.empty() ? remedy : earlier);
  }
}

Restart read_newest(const fs::path& folder, const StateOption& option) {
  refuse_if(type_of_named(folder) == fs::file_type::not_found,
            "{}: there is no folder '{}'; name the run's folder: {} FOLDER", option.with_folder,
            folder.string(), option.name);
  std::vector<fs::path> damaged;
  for (const auto& [step, file] : stored_states(folder)) {
    type_of_named(file);  // Refuses what this user may not read, with the remedy.
    try {
      io::Checkpoint checkpoint = read_good(file);
      refuse_if(
          checkpoint.run.step != step,
          "{}: '{}' is of base step {}, but its name gives another one; rename it, or name the "
          "file to continue from",
          option.with_folder, file.string(), checkpoint.run.step);
      if (!damaged.empty()) {
        print_warning("{} '{}', the newest whole one", option.use, file.string());
      }
      return with_sidecar(file, std::move(checkpoint), std::move(damaged));
    } catch (const io::DamagedCheckpoint& error) {
      const std::string_view what = error.what();
      print_warning("{}; trying an older one", what.substr(0, what.find("; name a checkpoint")));
      damaged.push_back(file);
    } catch (const io::CheckpointError& error) {
      throw RequestError("{}: {}", option.with_folder, error.what());
    }
  }
  throw no_whole_checkpoint(folder, option);
}

std::optional<fs::path> newest_checkpoint(const fs::path& folder) {
  const auto all = stored_states(folder);
  return all.empty() ? std::nullopt : std::optional(all.begin()->second);
}

std::string read_sidecar_of(const fs::path& file, io::Checkpoint& checkpoint) {
  if (checkpoint.sidecar) return {};
  try {
    io::read_sidecar(file, checkpoint);
    return {};
  } catch (const io::SidecarError& error) {
    return error.what();
  }
}

}  // namespace kumiko::app
