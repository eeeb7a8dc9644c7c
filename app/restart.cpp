#include "restart.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>

#include "problem.hpp"
#include "request.hpp"

namespace kumiko::app {

namespace {

/// Checkpoints and states of a folder, the newest first.
std::multimap<std::int64_t, std::filesystem::path, std::greater<>> candidates(
    const std::filesystem::path& folder) {
  std::multimap<std::int64_t, std::filesystem::path, std::greater<>> all;
  for (const std::string_view pattern : {kCheckpointFiles, kStateFiles}) {
    for (const auto& [step, file] : io::OutputFolder::numbered(folder, pattern)) {
      all.emplace(step, file);
    }
  }
  return all;
}

/// "; 'FILE' is whole", of the newest one before `file` that is.
std::string earlier_one(const std::filesystem::path& file) {
  const auto all = candidates(file.has_parent_path() ? file.parent_path() : ".");
  const auto named = std::find_if(all.begin(), all.end(), [&](const auto& entry) {
    return entry.second.filename() == file.filename();
  });
  for (auto other = named == all.end() ? all.begin() : std::next(named); other != all.end();
       ++other) {
    try {
      io::read_checkpoint(other->second);
      return fmt::format("; '{}' is whole", other->second.string());
    } catch (const io::CheckpointError&) {
      continue;
    }
  }
  return "; no earlier checkpoint in its folder is whole";
}

}  // namespace

Restart read_restart(const std::filesystem::path& file) {
  try {
    return {file, io::read_checkpoint(file), {}};
  } catch (const io::CheckpointError& error) {
    throw RequestError(fmt::format("--restart: {}{}", error.what(), earlier_one(file)));
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
  std::vector<std::filesystem::path> damaged;
  for (const auto& [step, file] : candidates(folder)) {
    try {
      io::Checkpoint checkpoint = io::read_checkpoint(file);
      if (checkpoint.run.step != step) {
        throw RequestError(
            fmt::format("--restart latest: '{}' stands at base step {}, not where its name says; "
                        "rename it, or name the file to go on from",
                        file.string(), checkpoint.run.step));
      }
      return {file, std::move(checkpoint), std::move(damaged)};
    } catch (const io::DamagedCheckpoint& error) {
      fmt::print(stderr, "kumiko: warning: {}; trying an older one\n", error.what());
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
