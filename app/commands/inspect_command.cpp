#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <memory>
#include <sstream>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/manifest.hpp>
#include <kumiko/io/shell_word.hpp>

#include "options/commands.hpp"
#include "run/run_start.hpp"
#include "terminal/counted.hpp"
#include "terminal/named_path.hpp"

namespace kumiko::app {

namespace {

struct InspectRequest {
  std::filesystem::path file;
  bool json = false;
};

using Json = nlohmann::ordered_json;

/// Of one component on one level, covered points too.
Json range_of(const amr::SavedRun& run, int level, std::size_t component) {
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -minimum;
  std::size_t not_finite = 0;
  for (std::size_t slot = 0; slot < run.mesh.size(level); ++slot) {
    for (const double value : run.values(level, slot, component)) {
      if (!std::isfinite(value)) {
        ++not_finite;
        continue;
      }
      minimum = std::min(minimum, value);
      maximum = std::max(maximum, value);
    }
  }
  return {{"min", minimum}, {"max", maximum}, {"not_finite", not_finite}};
}

/// Prints a JSON whose strings may hold anything.
void print_json(const Json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

Json describe(const io::Checkpoint& checkpoint, const std::string& sidecar_fault) {
  const io::RunAttributes& attributes = checkpoint.attributes;
  const amr::SavedRun& run = checkpoint.run;
  Json json;
  json["whole"] = true;
  json["step"] = run.step;
  json["time"] = attributes.time;
  json["dt"] = attributes.dt;
  json["lineage"] = Json::array();
  for (const io::Ancestor& restart : attributes.lineage) {
    json["lineage"].push_back(
        {{"step", restart.step}, {"state_hash", restart.state_hash}, {"keys", restart.keys}});
  }
  if (attributes.begun_from) json["begun_from"] = io::to_json(*attributes.begun_from);
  json["next_regrid"] = run.next_regrid;
  json["updates"] = run.counters.updates();
  json["levels"] = Json::array();
  const std::vector<std::string>& names = attributes.component_names;
  for (int level = 0; level < run.mesh.levels(); ++level) {
    Json of_level;
    of_level["patches"] = run.mesh.size(level);
    for (std::size_t component = 0; component < names.size(); ++component) {
      of_level["components"][names[component]] = range_of(run, level, component);
    }
    json["levels"].push_back(of_level);
  }
  json["configuration"] = attributes.configuration;
  json["sidecar"] = checkpoint.sidecar ? io::sidecar_json(checkpoint) : Json();
  if (!checkpoint.sidecar) json["sidecar_error"] = sidecar_fault;
  return json;
}

void print_levels(const Json& levels) {
  int index = 0;
  for (const auto& level : levels) {
    fmt::print("level {}              {}", index++,
               counted(level["patches"].get<std::size_t>(), "patch", "patches"));
    for (const auto& [name, range] : level["components"].items()) {
      fmt::print(", {} from {:.6g} to {:.6g}", name, range["min"].get<double>(),
                 range["max"].get<double>());
      const auto odd = range["not_finite"].get<std::size_t>();
      if (odd > 0) {
        fmt::print(" and {} not finite", counted(odd, "value that is", "values that are"));
      }
    }
    fmt::print("\n");
  }
}

void print_configuration(const std::string& text) {
  fmt::print("configuration\n");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) fmt::print("  {}\n", line);
}

/// The texts of a sidecar, one line each; those that a file of an earlier version lacks are empty.
void print_texts(const Json& texts, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const auto text = texts[name].get<std::string>();
    if (!text.empty()) fmt::print("  {:<19}{}\n", name, text);
  }
}

void print_sidecar(const Json& json) {
  const Json& sidecar = json["sidecar"];
  if (sidecar.is_null()) {
    fmt::print(
        "so far               not known: {}; a restart from here has the same bits, and counts "
        "seconds, steals and waits anew\n",
        json["sidecar_error"].get<std::string>());
    return;
  }
  std::size_t steals = 0;
  for (const Json& load : sidecar["load"]) steals += load["steals"].get<std::size_t>();
  fmt::print("so far               {:.2f} s, {}, {}\n", sidecar["wall_s"].get<double>(),
             counted(sidecar["workers"].get<std::size_t>(), "worker"), counted(steals, "steal"));
  print_texts(sidecar, {"backend", "host", "cpu", "date", "version", "compiler"});
  if (sidecar["keys"].empty()) return;  // of an earlier version
  fmt::print("files\n");
  print_texts(sidecar["paths"], {"configuration", "folder", "case", "solver"});
  fmt::print("keys that do not determine the state\n");
  for (const auto& [name, value] : sidecar["keys"].items()) {
    fmt::print("  {} = {}\n", name, value.dump());
  }
}

void print_beginning(const Json& begun) {
  fmt::print("begun with           {}: base step {} of case {}, t = {:.6g}; here t = {:.6g}\n",
             begun["file"].get<std::string>(), begun["step"].get<int>(),
             begun["case"].get<std::string>(), begun["time"].get<double>(),
             begun["begun_at"].get<double>());
  fmt::print("  state hash there   {}\n", begun["state_hash"].get<std::string>());
  for (const Json& mass : begun["mass"]) {
    fmt::print("  mass               {:.15g}, and {:.15g} in that state\n",
               mass["after"].get<double>(), mass["before"].get<double>());
  }
}

void print_text(const std::filesystem::path& file, const Json& json) {
  fmt::print("{}: whole, every byte is as it was written\n", file.string());
  fmt::print("base step            {}  (t = {:.6g}, dt = {:.6g})\n", json["step"].get<int>(),
             json["time"].get<double>(), json["dt"].get<double>());
  if (json["next_regrid"] > 0) {
    fmt::print("next regrid          before base step {}\n", json["next_regrid"].get<int>());
  }
  if (json.contains("begun_from")) print_beginning(json["begun_from"]);
  for (const Json& restart : json["lineage"]) {
    fmt::print("changed              before base step {}: {}\n", restart["step"].get<int>(),
               restart["keys"].get<std::string>());
  }
  fmt::print("point updates        {}\n", json["updates"].get<std::uint64_t>());
  print_levels(json["levels"]);
  print_configuration(json["configuration"].get<std::string>());
  print_sidecar(json);
}

io::FolderCheck compared(const std::filesystem::path& folder) {
  if (type_of_named(folder / io::kManifestFile) == std::filesystem::file_type::not_found) {
    const auto newest = newest_checkpoint(folder);
    refuse_if(newest && std::filesystem::exists(folder / io::kSummaryFile),
              "'{}' has no {} to compare its files with; kumiko run --restart {} writes it anew",
              folder.string(), io::kManifestFile, io::shell_word(folder.string()));
    throw RequestError(
        "'{}' does not hold a finished run: it has no {}; {}", folder.string(), io::kManifestFile,
        newest ? fmt::format("inspect its newest checkpoint '{}', or continue with --restart {}",
                             newest->string(), io::shell_word(folder.string()))
               : std::string("name the folder of one, or a checkpoint"));
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

/// The remedy for files that are not as the run wrote them. A restart writes some of them also if
/// no steps are left.
std::string remedy_of_altered(const std::filesystem::path& folder, const io::FolderCheck& check) {
  constexpr std::array<std::string_view, 3> kRewritten = {io::kSummaryFile, io::kManifestFile,
                                                          "states.hdf.series"};
  const bool are_rewritten = std::ranges::all_of(check.altered, [&](const io::AlteredFile& file) {
    // A configuration that is there is read.
    if (file.name == io::kConfigurationFile) return !std::filesystem::exists(folder / file.name);
    return std::ranges::find(kRewritten, file.name) != kRewritten.end();
  });
  if (!are_rewritten || !newest_checkpoint(folder)) {
    return "restore them from a copy, or run the case again";
  }
  return fmt::format("restore them from a copy, or write them anew with kumiko run --restart {}",
                     io::shell_word(folder.string()));
}

/// Compares a finished run's folder with its manifest. Throws RequestError for other
/// folders, std::runtime_error that names what is not as it was written.
int inspect_folder(const std::filesystem::path& path, bool as_json) {
  const io::FolderCheck check = compared(path);
  const std::string folder = path.string();
  if (as_json) print_json(json_of(check));
  if (!check.altered.empty()) {
    throw std::runtime_error(
        fmt::format("the files in '{}' have changed since the run wrote them: {}; {}", folder,
                    to_string(check.altered), remedy_of_altered(path, check)));
  }
  if (as_json) return kDone;
  fmt::print("{}: whole, {} as written\n", folder, counted(check.whole.size(), "file"));
  for (const std::string& name : check.whole) {
    fmt::print("  {:<27} {}\n", name, io::OutputFolder::purpose(name));
  }
  if (!check.unlisted.empty()) {
    fmt::print("not of the run, or made later: {}\n", fmt::join(check.unlisted, ", "));
  }
  return kDone;
}

int inspect(const InspectRequest& request) {
  if (type_of_named(request.file) == std::filesystem::file_type::directory) {
    return inspect_folder(request.file, request.json);
  }
  require_file(request.file, "name a checkpoint, a state, or the folder of a finished run");
  try {
    io::Checkpoint checkpoint = io::read_checkpoint(request.file);
    const std::string fault = read_sidecar_of(request.file, checkpoint);
    const Json json = describe(checkpoint, fault);
    if (request.json) {
      print_json(json);
    } else {
      print_text(request.file, json);
    }
    return kDone;
  } catch (const io::NotACheckpoint& error) {
    throw RequestError(error.what());
  } catch (const io::CheckpointError& error) {
    if (request.json) print_json({{"whole", false}, {"error", error.what()}});
    throw;
  }
}

}  // namespace

Action inspect_command(Options& options) {
  const auto request = std::make_shared<InspectRequest>();
  options.add(
      "FILE", &request->file,
      "the checkpoint or state, or the folder of a finished run, to compare with its manifest",
      {.is_required = true});
  options.add("--json", &request->json, "as JSON");
  return [request] { return inspect(*request); };
}

}  // namespace kumiko::app
