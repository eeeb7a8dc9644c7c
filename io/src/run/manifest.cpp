#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/checkpoint_error.hpp>
#include <kumiko/io/manifest.hpp>

#include "files/part_file.hpp"
#include "hdf5/seal.hpp"
#include "text/message.hpp"
#include "text/whole_file.hpp"

namespace kumiko::io {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The key of the manifest's hash of its own text, whose digits count as zeros there.
constexpr std::string_view kOwnHash = "manifest_xxh3";
constexpr std::string_view kNoHash = "0000000000000000";
/// Not the run's own: kumiko report may write it again at any time. Older manifests list it.
constexpr std::string_view kReportFile = "report.html";

std::string digits(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::string hash_of_text(std::string_view text) {
  return digits(hash_of(std::as_bytes(std::span(text))));
}

/// Where the digits of its own hash stand in a manifest's text; npos when it has none.
std::size_t place_of_own_hash(std::string_view text) {
  const std::string before = fmt::format("\"{}\": \"", kOwnHash);
  const std::size_t at = text.rfind(before);
  if (at == text.npos || text.size() - at < before.size() + kNoHash.size()) return text.npos;
  return at + before.size();
}

/// The run's files that are whole, in the order of their names.
std::set<fs::path> finished_files(const fs::path& folder) {
  std::set<fs::path> files;
  std::error_code hidden;  // by links that lead in a circle
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool later = name == kManifestFile || name == kSummaryFile;
    if (!later && entry.is_regular_file(hidden) && OutputFolder::owns(name) && !is_part(name)) {
      files.insert(entry.path());
    }
  }
  return files;
}

Json entry_of(std::string_view name, std::uint64_t bytes, const std::string& hash) {
  return {
      {"name", name}, {"bytes", bytes}, {"xxh3", hash}, {"content", OutputFolder::purpose(name)}};
}

std::string read_manifest(const fs::path& file) {
  try {
    return read_whole_file(file);
  } catch (const std::system_error& error) {
    throw OutputError(fmt::format("'{}' {}: what is in the folder cannot be compared with it",
                                  file.string(), why_not_read(error)));
  }
}

/// True if the text is one that make_manifest() gave. Those of older versions have no hash of their
/// own, and no summary either.
bool is_as_written(const Json& json, std::string text) {
  const std::size_t place = place_of_own_hash(text);
  if (place == std::string::npos) {
    const Json& files = json.at("files");
    return std::none_of(files.begin(), files.end(), [](const Json& file) {
      return file.at("name") == std::string(kSummaryFile);
    });
  }
  const std::string hash = text.substr(place, kNoHash.size());
  return hash == hash_of_text(text.replace(place, kNoHash.size(), kNoHash));
}

/// The fault of a file; empty if it is as its entry in the manifest says.
std::string fault_of(const fs::path& file, const Json& entry) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) return "is missing";
  const std::uintmax_t bytes = fs::file_size(file, failed);
  const auto expected = entry.at("bytes").get<std::uint64_t>();
  if (bytes != expected) {
    return fmt::format("has {} instead of {}", counted(bytes, "byte"), expected);
  }
  try {
    return digits(hash_of_file(file)) == entry.at("xxh3").get<std::string>() ? "" : "has changed";
  } catch (const CheckpointError&) {
    return "cannot be read";
  }
}

/// The lines of an earlier manifest that still count, by name. One that is damaged is believed
/// too, as far as it can be read: where it and a file disagree, one of them is not as it was
/// written.
std::map<std::string, Json> kept_lines(const EarlierManifest& earlier) {
  std::map<std::string, Json> lines;
  const Json json = Json::parse(earlier.text, nullptr, false);
  if (!json.is_object() || !json.contains("files")) return lines;
  for (const Json& line : json.at("files")) {
    try {
      const auto name = line.at("name").get<std::string>();
      if (name == kReportFile || earlier.written.contains(name)) continue;
      lines[name] =
          entry_of(name, line.at("bytes").get<std::uint64_t>(), line.at("xxh3").get<std::string>());
    } catch (const nlohmann::json::exception&) {
      continue;  // not a line that make_manifest() gave
    }
  }
  return lines;
}

Json line_of(const fs::path& file) {
  return entry_of(file.filename().string(), fs::file_size(file), digits(hash_of_file(file)));
}

}  // namespace

EarlierManifest earlier_manifest(const fs::path& folder) {
  try {
    return {read_whole_file(folder / kManifestFile)};
  } catch (const std::system_error&) {
    return {};
  }
}

std::string make_manifest(const OutputFolder& folder, std::string_view summary,
                          const EarlierManifest& earlier) {
  const std::map<std::string, Json> kept = kept_lines(earlier);
  Json json;
  json["program"] = "kumiko " KUMIKO_VERSION;
  json["files"] = Json::array();
  try {
    std::set<fs::path> files = finished_files(folder.path());
    for (const std::string& name : earlier.lost) {
      if (kept.contains(name)) files.insert(folder.path() / name);
    }
    for (const fs::path& file : files) {
      if (file.filename() == kReportFile) continue;
      const auto line = kept.find(file.filename().string());
      json["files"].push_back(line == kept.end() ? line_of(file) : line->second);
    }
  } catch (const fs::filesystem_error& error) {
    throw OutputError(error.what());
  } catch (const CheckpointError& error) {
    throw OutputError(error.what());
  }
  json["files"].push_back(entry_of(kSummaryFile, summary.size(), hash_of_text(summary)));
  json[std::string(kOwnHash)] = kNoHash;
  std::string text = json.dump(2) + "\n";
  const std::string hash = hash_of_text(text);
  return text.replace(place_of_own_hash(text), hash.size(), hash);
}

std::string to_string(const std::vector<AlteredFile>& files) {
  std::string text;
  for (const AlteredFile& file : files) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", file.name, file.what);
  }
  return text;
}

FolderCheck check_folder(const fs::path& folder, std::span<const std::string_view> only) {
  FolderCheck check;
  std::set<std::string> listed;
  const auto call_altered = [&](std::string_view name, std::string what) {
    check.altered.push_back({std::string(name), std::move(what)});
  };
  const auto is_wanted = [&](std::string_view name) {
    return only.empty() || std::ranges::find(only, name) != only.end();
  };
  const std::string text = read_manifest(folder / kManifestFile);
  try {
    const Json json = Json::parse(text);
    if (!is_as_written(json, text)) call_altered(kManifestFile, "has changed");
    for (const Json& entry : json.at("files")) {
      const auto name = entry.at("name").get<std::string>();
      // A name that no run's file has may lead out of the folder. The manifest has changed then.
      if (!OutputFolder::owns(name) || name == kReportFile || !is_wanted(name)) continue;
      listed.insert(name);
      const std::string fault = fault_of(folder / name, entry);
      if (fault.empty()) check.whole.push_back(name);
      if (!fault.empty()) call_altered(name, fault);
    }
  } catch (const nlohmann::json::exception&) {
    call_altered(kManifestFile, "is damaged, so that not all can be compared with it");
  }
  for (const fs::path& file : finished_files(folder)) {
    const std::string name = file.filename().string();
    if (is_wanted(name) && !listed.contains(name)) check.unlisted.push_back(name);
  }
  return check;
}

std::string make_series(const OutputFolder& folder, const TimeOfState& time_of) {
  Json json;
  json["file-series-version"] = "1.0";
  json["files"] = Json::array();
  for (const auto& [step, file] : OutputFolder::numbered(folder.path(), "state_#.hdf")) {
    json["files"].push_back({{"name", file.filename().string()}, {"time", time_of(step, file)}});
  }
  return json.dump(2) + "\n";
}

}  // namespace kumiko::io
