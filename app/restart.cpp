#include "restart.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/sidecar.hpp>
#include <kumiko/io/state_writer.hpp>

#include "named_path.hpp"
#include "problem.hpp"
#include "request.hpp"
#include "terminal.hpp"

namespace kumiko::app {

namespace {

/// Checkpoints and states of a folder, the newest first.
std::multimap<std::int64_t, std::filesystem::path, std::greater<>> candidates(
    const std::filesystem::path& folder) {
  std::multimap<std::int64_t, std::filesystem::path, std::greater<>> all;
  for (const std::string_view pattern : {io::kCheckpointFiles, io::kStateFiles}) {
    for (const auto& [step, file] : io::OutputFolder::numbered(folder, pattern)) {
      all.emplace(step, file);
    }
  }
  return all;
}

/// Where the first of the field's values is that is not finite; empty where all are finite. Extras
/// of patches are not looked at: no run goes on from them.
std::string not_finite_in(const io::Checkpoint& checkpoint) {
  const std::vector<std::string>& names = checkpoint.attributes.component_names;
  const amr::SavedRun& run = checkpoint.run;
  const std::size_t own = names.size() - static_cast<std::size_t>(run.extras);
  for (int level = 0; level < run.mesh.levels(); ++level) {
    for (std::size_t slot = 0; slot < run.mesh.size(level); ++slot) {
      const std::span<const double> values = run.record(level, slot).first(own * amr::kPatchPoints);
      const auto odd = std::ranges::find_if_not(values, [](double v) { return std::isfinite(v); });
      if (odd == values.end()) continue;
      const auto component = static_cast<std::size_t>(odd - values.begin()) / amr::kPatchPoints;
      return fmt::format("'{}' in {} is {}", names[component], to_string(run.mesh.ids(level)[slot]),
                         *odd);
    }
  }
  return {};
}

/// A whole checkpoint that a run can go on from: one with values that are not finite counts as
/// damaged, whatever wrote it.
io::Checkpoint read_good(const std::filesystem::path& file) {
  io::Checkpoint checkpoint = io::read_checkpoint(file);
  if (const std::string what = not_finite_in(checkpoint); !what.empty()) {
    throw io::DamagedCheckpoint(
        fmt::format("'{}' holds values that are not finite ({})", file.string(), what));
  }
  return checkpoint;
}

/// The restart from a checkpoint, which does without its sidecar where it must.
Restart with_sidecar(const std::filesystem::path& file, io::Checkpoint checkpoint,
                     std::vector<std::filesystem::path> damaged = {}) {
  Restart restart{file, std::move(checkpoint), std::move(damaged)};
  if (restart.checkpoint.sidecar) return restart;
  try {
    io::read_sidecar(file, restart.checkpoint);
  } catch (const io::SidecarError& error) {
    restart.sidecar_fault = error.what();
  }
  return restart;
}

/// "; 'FILE' is whole", of the newest one before `file` that is; empty where none is.
std::string earlier_one(const std::filesystem::path& file) {
  const auto all = candidates(file.has_parent_path() ? file.parent_path() : ".");
  const auto named = std::find_if(all.begin(), all.end(), [&](const auto& entry) {
    return entry.second.filename() == file.filename();
  });
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

Restart read_restart(const std::filesystem::path& file) {
  if (type_of_named(file) == std::filesystem::file_type::not_found) {
    throw RequestError(fmt::format(
        "--restart: there is no file '{}'; name a checkpoint or a state, or a run's folder{}",
        file.string(), earlier_one(file)));
  }
  try {
    return with_sidecar(file, read_good(file));
  } catch (const io::CheckpointError& error) {
    const std::string earlier = earlier_one(file);
    throw RequestError(
        fmt::format("--restart: {}{}", error.what(),
                    earlier.empty() ? "; no earlier checkpoint in its folder is whole" : earlier));
  }
}

std::vector<std::filesystem::path> later_files(const std::filesystem::path& folder, int step) {
  std::vector<std::filesystem::path> later;
  for (const auto& [number, file] : candidates(folder)) {
    if (number > step) later.push_back(file);
  }
  return later;
}

Restart latest_restart(const std::filesystem::path& folder) {
  if (type_of_named(folder) == std::filesystem::file_type::not_found) {
    throw RequestError(fmt::format(
        "--restart latest: there is no folder '{}'; name the folder of the run with --output",
        folder.string()));
  }
  std::vector<std::filesystem::path> damaged;
  for (const auto& [step, file] : candidates(folder)) {
    type_of_named(file);  // Refuses what this user may not read, with the remedy.
    try {
      io::Checkpoint checkpoint = read_good(file);
      if (checkpoint.run.step != step) {
        throw RequestError(
            fmt::format("--restart latest: '{}' stands at base step {}, not where its name says; "
                        "rename it, or name the file to go on from",
                        file.string(), checkpoint.run.step));
      }
      if (!damaged.empty()) {
        print_to_stderr("kumiko: warning: '{}' is the newest good one; going on from there\n",
                        file.string());
      }
      return with_sidecar(file, std::move(checkpoint), std::move(damaged));
    } catch (const io::DamagedCheckpoint& error) {
      print_to_stderr("kumiko: warning: {}; trying an older one\n", error.what());
      damaged.push_back(file);
    } catch (const io::CheckpointError& error) {
      throw RequestError(fmt::format("--restart latest: {}", error.what()));
    }
  }
  throw RequestError(
      fmt::format("--restart: there is no whole checkpoint in '{}'; name a file, or the folder "
                  "with --output",
                  folder.string()));
}

}  // namespace kumiko::app
