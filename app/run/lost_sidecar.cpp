#include "run/lost_sidecar.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <kumiko/io/manifest.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/summary.hpp>

#include "run/setup.hpp"

namespace kumiko::app {

namespace {

namespace fs = std::filesystem;

/// The files among these that are as the manifest of their folder lists them; none if the manifest
/// is not whole itself.
std::vector<std::string> whole_files(const fs::path& folder,
                                     const std::vector<std::string_view>& names) {
  try {
    io::FolderCheck check = io::check_folder(folder, names);
    const auto is_manifest = [](const io::AlteredFile& file) {
      return file.name == io::kManifestFile;
    };
    if (std::ranges::any_of(check.altered, is_manifest)) return {};
    return std::move(check.whole);
  } catch (const io::OutputError&) {
    return {};
  }
}

/// Adds seconds, loads and imbalance from a summary. \return false if they are of another step
bool add_work(const fs::path& file, io::Checkpoint& checkpoint, io::Sidecar& sidecar) {
  std::ifstream stream(file);
  const auto summary = nlohmann::ordered_json::parse(stream, nullptr, false);
  try {
    if (summary.at("steps") != checkpoint.run.step) return false;
    const double wall_s = summary.at("wall_s").get<double>();
    io::read_work(summary, checkpoint.run.counters);
    sidecar.wall_s = wall_s;
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

void replace_sidecar(const std::shared_ptr<const plugin::Registry>& plugins, Restart& restart) {
  const fs::path folder = restart.file.parent_path();
  const std::string own = restart.file.filename().string();
  const std::vector<std::string> whole =
      whole_files(folder, {own, io::kConfigurationFile, io::kSummaryFile});
  const auto is_whole = [&](std::string_view name) {
    return std::ranges::find(whole, name) != whole.end();
  };
  if (!is_whole(own)) return;
  io::Sidecar found;
  const fs::path settings = folder / io::kConfigurationFile;
  if (is_whole(io::kConfigurationFile)) {
    try {
      const Setup setup = load_setup({.config = settings, .plugins = plugins, .is_of_run = true});
      found.configuration = setup.config.run_values();
      restart.settings_from = settings;
    } catch (const RequestError&) {
      // The restart refuses this configuration, and says why.
    }
  }
  const fs::path summary = folder / io::kSummaryFile;
  if (is_whole(io::kSummaryFile) && add_work(summary, restart.checkpoint, found)) {
    restart.work_from = summary;
  }
  restart.checkpoint.sidecar = std::move(found);
}

}  // namespace kumiko::app
