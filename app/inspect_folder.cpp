// kumiko inspect DIR: whether a run's folder is as it was written.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/manifest.hpp>

#include "inspect.hpp"
#include "named_path.hpp"
#include "request.hpp"

namespace kumiko::app {

namespace {

using Json = nlohmann::ordered_json;

io::FolderCheck compared(const std::filesystem::path& folder) {
  if (type_of_named(folder / io::kManifestFile) == std::filesystem::file_type::not_found) {
    throw RequestError(fmt::format(
        "'{}' does not hold a finished run: it has no {}; name the folder of one, or a checkpoint",
        folder.string(), io::kManifestFile));
  }
  io::FolderCheck check = io::check_folder(folder);
  // A file that may not be read is not one that has changed.
  for (const io::AlteredFile& file : check.altered) type_of_named(folder / file.name);
  return check;
}

Json json_of(const io::FolderCheck& check) {
  Json json;
  json["whole"] = check.altered.empty();
  json["files"] = Json::array();
  for (const std::string& name : check.whole)
    json["files"].push_back({{"name", name}, {"whole", true}});
  for (const io::AlteredFile& file : check.altered) {
    json["files"].push_back({{"name", file.name}, {"whole", false}, {"error", file.what}});
  }
  json["unlisted"] = check.unlisted;
  return json;
}

}  // namespace

int inspect_folder(const std::filesystem::path& path, bool as_json) {
  const io::FolderCheck check = compared(path);
  const std::string folder = path.string();
  if (as_json) fmt::print("{}\n", json_text(json_of(check)));
  if (!check.altered.empty()) {
    std::vector<std::string> faults;
    for (const io::AlteredFile& file : check.altered) {
      faults.push_back(fmt::format("{} {}", file.name, file.what));
    }
    throw std::runtime_error(
        fmt::format("'{}' is not as the run has written it: {}", folder, fmt::join(faults, ", ")));
  }
  if (as_json) return kDone;
  fmt::print("{}: whole, {} files are as they were written\n", folder, check.whole.size());
  for (const std::string& name : check.whole) {
    fmt::print("  {:<24}{}\n", name, io::OutputFolder::purpose(name));
  }
  if (!check.unlisted.empty()) {
    fmt::print("not of the run, or made later: {}\n", fmt::join(check.unlisted, ", "));
  }
  return kDone;
}

}  // namespace kumiko::app
