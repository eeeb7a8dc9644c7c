#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/manifest.hpp>

#include "part_file.hpp"
#include "seal.hpp"

namespace kumiko::io {

namespace {

/// In the order of their names.
std::set<std::filesystem::path> finished_files(const OutputFolder& folder) {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename().string();
    const bool later = name == kManifestFile || name == kSummaryFile;
    if (!later && entry.is_regular_file() && OutputFolder::owns(name) && !is_part(name)) {
      files.insert(entry.path());
    }
  }
  return files;
}

}  // namespace

std::string make_manifest(const OutputFolder& folder) {
  nlohmann::ordered_json json;
  json["program"] = "kumiko " KUMIKO_VERSION;
  json["files"] = nlohmann::ordered_json::array();
  try {
    for (const std::filesystem::path& file : finished_files(folder)) {
      const std::string name = file.filename().string();
      json["files"].push_back({{"name", name},
                               {"bytes", std::filesystem::file_size(file)},
                               {"xxh3", fmt::format("{:016x}", hash_of_file(file))},
                               {"content", OutputFolder::purpose(name)}});
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw OutputError(error.what());
  } catch (const CheckpointError& error) {
    throw OutputError(error.what());
  }
  return json.dump(2) + "\n";
}

std::string make_series(const OutputFolder& folder, double dt) {
  nlohmann::ordered_json json;
  json["file-series-version"] = "1.0";
  json["files"] = nlohmann::ordered_json::array();
  for (const auto& [step, file] : OutputFolder::numbered(folder.path(), "state_#.hdf")) {
    json["files"].push_back(
        {{"name", file.filename().string()}, {"time", static_cast<double>(step) * dt}});
  }
  return json.dump(2) + "\n";
}

}  // namespace kumiko::io
