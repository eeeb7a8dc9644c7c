#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/checkpoint.hpp>

#include "commands.hpp"
#include "counted.hpp"
#include "inspect.hpp"
#include "named_path.hpp"
#include "request.hpp"

namespace kumiko::app {

namespace {

struct InspectRequest {
  std::filesystem::path file;
  bool json = false;
};

struct Range {
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
  std::size_t not_finite = 0;

  void add(double value) {
    if (!std::isfinite(value)) {
      ++not_finite;
      return;
    }
    minimum = std::min(minimum, value);
    maximum = std::max(maximum, value);
  }
};

/// Of one component on one level, covered points too.
Range range_of(const amr::SavedLevel& level, std::size_t components, std::size_t component) {
  Range range;
  for (std::size_t slot = 0; slot < level.patches.size(); ++slot) {
    const double* record =
        level.values.data() + (slot * components + component) * amr::kPatchPoints;
    std::for_each(record, record + amr::kPatchPoints, [&](double value) { range.add(value); });
  }
  return range;
}

nlohmann::ordered_json describe(const io::Checkpoint& checkpoint) {
  const auto& [attributes, run] = checkpoint;
  nlohmann::ordered_json json;
  json["whole"] = true;
  json["step"] = run.step;
  json["time"] = attributes.time;
  json["dt"] = attributes.dt;
  json["next_regrid"] = run.next_regrid;
  json["wall_s"] = attributes.wall_s;
  json["updates"] = run.counters.updates();
  json["workers"] = run.counters.workers.size();
  json["levels"] = nlohmann::ordered_json::array();
  const std::vector<std::string>& names = attributes.component_names;
  for (const amr::SavedLevel& level : run.levels) {
    nlohmann::ordered_json of_level;
    of_level["patches"] = level.patches.size();
    for (std::size_t component = 0; component < names.size(); ++component) {
      const Range range = range_of(level, names.size(), component);
      of_level["components"][names[component]] = {
          {"min", range.minimum}, {"max", range.maximum}, {"not_finite", range.not_finite}};
    }
    json["levels"].push_back(of_level);
  }
  json["configuration"] = attributes.configuration;
  return json;
}

void print_text(const std::filesystem::path& file, const nlohmann::ordered_json& json) {
  fmt::print("{}: whole, every byte is as it was written\n", file.string());
  fmt::print("base step            {}  (t = {:.6g}, dt = {:.6g})\n", json["step"].get<int>(),
             json["time"].get<double>(), json["dt"].get<double>());
  if (json["next_regrid"] > 0) {
    fmt::print("next regrid          before base step {}\n", json["next_regrid"].get<int>());
  }
  fmt::print("so far               {:.2f} s, {} point updates, {}\n", json["wall_s"].get<double>(),
             json["updates"].get<std::uint64_t>(),
             counted(json["workers"].get<std::size_t>(), "worker"));
  int index = 0;
  for (const auto& level : json["levels"]) {
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
  fmt::print("configuration\n");
  const std::string text = json["configuration"].get<std::string>();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    fmt::print("  {}\n", text.substr(at, end - at));
    at = end + 1;
  }
}

int inspect(const InspectRequest& request) {
  if (type_of_named(request.file) == std::filesystem::file_type::directory) {
    return inspect_folder(request.file, request.json);
  }
  require_file(request.file, "name a checkpoint, a state, or the folder of a finished run");
  const auto print_json = [](const nlohmann::ordered_json& json) {
    fmt::print("{}\n", json_text(json));
  };
  try {
    const nlohmann::ordered_json json = describe(io::read_checkpoint(request.file));
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

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

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
