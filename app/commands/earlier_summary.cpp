#include "commands/earlier_summary.hpp"

#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/io/manifest.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/record_csv.hpp>
#include <kumiko/io/sidecar.hpp>
#include <kumiko/io/state_writer.hpp>

namespace kumiko::app {

namespace {

/// True if the summary in a folder is the one that its run has written.
bool has_own_summary(const std::filesystem::path& folder) {
  constexpr std::array kSummary = {io::kSummaryFile};
  try {
    return io::check_folder(folder, kSummary).altered.empty();
  } catch (const io::OutputError&) {
    return false;
  }
}

/// True if an earlier summary is of the same state.
bool is_of(const nlohmann::ordered_json& earlier, const io::RunSummary& summary) {
  const auto hash = earlier.find("state_hash");
  return hash != earlier.end() && *hash == summary.state_hash;
}

}  // namespace

nlohmann::ordered_json earlier_summary(const Start& start) {
  if (!is_done(start) || start.earlier != io::Earlier::kContinue) return {};
  if (!has_own_summary(start.path)) return {};
  std::ifstream stream(start.path / io::kSummaryFile);
  auto summary = nlohmann::ordered_json::parse(stream, nullptr, false);
  return summary.is_object() ? summary : nlohmann::ordered_json();
}

bool has_its_last_files(const Start& start, const nlohmann::ordered_json& earlier) {
  if (earlier.empty()) return false;
  const std::string state = io::state_name(start.from->checkpoint.run.step);
  const std::string sidecar = io::sidecar_of(state).string();
  std::vector<std::string> names = {state,
                                    sidecar,
                                    "diagnostics.csv",
                                    "load.csv",
                                    "states.hdf.series",
                                    std::string(io::kConfigurationFile)};
  for (const io::RecordOptions& record : start.setup.run.records) {
    names.push_back(io::record_file(record.name));
  }
  const std::vector<std::string_view> files(names.begin(), names.end());
  try {
    const io::FolderCheck check = io::check_folder(start.path, files);
    return check.altered.empty() && check.whole.size() >= files.size();
  } catch (const io::OutputError&) {
    return false;
  }
}

nlohmann::ordered_json summary_json(const io::RunSummary& summary,
                                    const nlohmann::ordered_json& earlier) {
  nlohmann::ordered_json json = io::to_json(summary);
  if (!is_of(earlier, summary)) return json;
  nlohmann::ordered_json kept = earlier;
  kept["config"] = json.at("config");
  // An earlier version calls it otherwise.
  if (!kept.contains("imbalance")) kept["imbalance"] = json.at("imbalance");
  return kept;
}

io::RunSummary summary_shown(io::RunSummary summary, const nlohmann::ordered_json& earlier) {
  if (!is_of(earlier, summary)) return summary;
  summary.backend = earlier.value("backend", summary.backend);
  summary.workers = earlier.value("workers", summary.workers);
  summary.wall_s = earlier.value("wall_s", summary.wall_s);
  summary.peak_rss_bytes = earlier.value("peak_rss_bytes", summary.peak_rss_bytes);
  return summary;
}

}  // namespace kumiko::app
