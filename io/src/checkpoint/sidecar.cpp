#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/one_line.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/run_options.hpp>
#include <kumiko/io/schema.hpp>
#include <kumiko/io/sidecar.hpp>

#include "checkpoint/run_json.hpp"
#include "config/core_keys.hpp"
#include "config/key_check.hpp"
#include "files/part_file.hpp"
#include "hdf5/limits.hpp"
#include "hdf5/seal.hpp"
#include "text/message.hpp"

namespace kumiko::io {

namespace {

using Json = nlohmann::ordered_json;

/// Changes whenever a reader would have to. The first version held no seal.
constexpr int kSidecarVersion = 2;
constexpr int kVersionWithoutSeal = 1;

/// Several times the size of a sidecar of the most workers.
constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 20U;

/// A fault of a sidecar; what() does not name the file.
struct Fault : std::runtime_error {
  using runtime_error::runtime_error;
};

/// A fault of one of its values.
using Damage = std::runtime_error;

Json json_of(const amr::PatchId& id) { return {id.level, id.i, id.j}; }

Json keys_of(const amr::ParameterSet& configuration) {
  Json json = Json::object();
  for (const auto& entry : configuration.values()) {
    std::visit([&](const auto& value) { json[entry.first] = value; }, entry.second);
  }
  return json;
}

/// For a message: a value, or what kind of thing it is. Nothing nested, however deep it goes.
std::string shown(const Json& json) {
  return json.is_structured() ? std::string(json.type_name()) : in_quotes(json.dump());
}

Damage out_of_range(const Json& json) {
  return Damage(fmt::format("{} is out of range", shown(json)));
}

std::uint64_t to_count(const Json& json) {
  if (!json.is_number_unsigned()) throw Damage(fmt::format("{} is not a count", shown(json)));
  return json.get<std::uint64_t>();
}

int to_int(const Json& json) {
  const std::uint64_t value = to_count(json);
  if (!std::in_range<int>(value)) throw out_of_range(json);
  return static_cast<int>(value);
}

/// Of seconds, and sums; null stands for what is not finite.
double to_amount(const Json& json) {
  const auto value = json.get<double>();
  if (!std::isfinite(value) || value < 0.0) throw out_of_range(json);
  return value;
}

/// The list of a name, which has at most so many elements.
const Json& list_of(const Json& json, const char* name, std::size_t most) {
  const Json& list = json.at(name);
  if (!list.is_array() || list.size() > most) {
    throw Damage(fmt::format("'{}' is not a list of at most {}", name, most));
  }
  return list;
}

amr::PatchId to_patch(const Json& json) {
  if (!json.is_array() || json.size() != 3) throw Damage("a patch is not three numbers");
  return {to_int(json[0]), to_int(json[1]), to_int(json[2])};
}

amr::WaitCause to_cause(const std::string& name) {
  for (int at = 0; at <= static_cast<int>(amr::WaitCause::kLevel); ++at) {
    const auto cause = static_cast<amr::WaitCause>(at);
    if (name == amr::to_string(cause)) return cause;
  }
  throw Damage(fmt::format("there is no cause of a wait called {}", in_quotes(name)));
}

/// The counters of a checkpoint, completed by those of the workers in its sidecar.
amr::WorkCounters completed(amr::WorkCounters counters, const Json& json) {
  counters.sum_of_largest = to_count(json.at("sum_of_largest"));
  counters.sum_of_means = to_amount(json.at("sum_of_means"));
  counters.workers.clear();
  for (const Json& load : list_of(json, "load", kMostWorkers)) {
    counters.workers.push_back({to_count(load.at("updates")), to_amount(load.at("busy_s")),
                                to_amount(load.at("wait_s")), to_count(load.at("steals"))});
  }
  counters.longest_waits.clear();
  for (const Json& wait : list_of(json, "longest_waits", amr::WorkCounters::kLongestWaits)) {
    counters.longest_waits.push_back({to_amount(wait.at("seconds")), to_int(wait.at("step")),
                                      to_int(wait.at("worker")), to_cause(wait.at("cause")),
                                      to_patch(wait.at("patch")), to_patch(wait.at("awaited"))});
  }
  return counters;
}

amr::ParameterValue to_value(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && !std::in_range<std::int64_t>(json.get<std::uint64_t>())) {
    throw out_of_range(json);
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  const auto is_number = [](const Json& element) { return element.is_number(); };
  if (json.is_array() && std::ranges::all_of(json, is_number)) {
    return json.get<std::vector<double>>();
  }
  throw Damage(fmt::format("{} is not the value of a key", shown(json)));
}

/// Only keys that the state does not depend on, with values that they can have.
amr::ParameterSet to_configuration(const Json& json) {
  static const Schema core;
  amr::ParameterSet all;
  for (const Key& key : core.keys()) all.set(key.spec.name, key.spec.default_value);
  amr::ParameterSet values;
  for (const auto& [stored, value] : json.items()) {
    const std::string name(name_today(stored));
    const Key* const key = core.find(name);
    if (key == nullptr || !key->changeable()) {
      throw Damage(fmt::format("{} is not a key of the run alone", in_quotes(name)));
    }
    values.set(name, checked_value(*key, to_value(value)));
    all.set(name, values.at(name));
  }
  read<RunOptions>(all);  // Some texts stand for amounts.
  return values;
}

Sidecar to_sidecar(const Json& json) {
  Sidecar sidecar;
  sidecar.wall_s = to_amount(json.at("wall_s"));
  if (json.contains("reached")) sidecar.reached = to_amount(json.at("reached"));
  sidecar.backend = json.at("backend");
  sidecar.workers = to_int(json.at("workers"));
  sidecar.origin = {json.at("host"), json.at("cpu"), json.at("date"), json.at("version"),
                    json.at("compiler")};
  const Json& paths = json.at("paths");
  const auto path = [&](const char* name) { return paths.at(name).get<std::string>(); };
  sidecar.paths = {path("configuration"), path("folder"), path("case"), path("solver")};
  sidecar.configuration = to_configuration(json.at("keys"));
  return sidecar;
}

Json parsed(const std::filesystem::path& file) {
  std::error_code hidden;
  if (!std::filesystem::exists(file, hidden) && !hidden) throw Fault("is missing");
  if (!std::filesystem::is_regular_file(file, hidden)) throw Fault("is not an ordinary file");
  if (std::filesystem::file_size(file, hidden) > kMostBytes) throw Damage("it is too large");
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) throw Fault("cannot be read");
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw Damage("it is not a JSON object");
  return json;
}

/// Of a version that is read here.
int checked_version(const Json& json) {
  const int version = to_int(json.at("sidecar_version"));
  if (version == kSidecarVersion || version == kVersionWithoutSeal) return version;
  throw Fault(
      fmt::format("has version {}, but this version of Kumiko reads {}", version, kSidecarVersion));
}

std::string seal_text(std::uint64_t seal) { return fmt::format("{:016x}", seal); }

void complete(Checkpoint& checkpoint, const Json& json, std::uint64_t seal) {
  const int version = checked_version(json);
  if (const int step = to_int(json.at("step")); step != checkpoint.run.step) {
    throw Fault(fmt::format("is of base step {}, not of {}", step, checkpoint.run.step));
  }
  if (version != kVersionWithoutSeal && json.at("seal").get<std::string>() != seal_text(seal)) {
    throw Fault("belongs to another file of this name: its seal is that file's");
  }
  Sidecar sidecar = to_sidecar(json);
  amr::WorkCounters counters = completed(checkpoint.run.counters, json);
  checkpoint.run.next_check = to_int(json.at("next_check"));
  checkpoint.run.counters = std::move(counters);
  checkpoint.sidecar = std::move(sidecar);
}

}  // namespace

std::filesystem::path sidecar_of(const std::filesystem::path& checkpoint_file) {
  std::filesystem::path name = checkpoint_file;
  if (name.extension() == ".hdf") name.replace_extension();
  name += kSidecarEnd;
  return name;
}

Json sidecar_json(const Checkpoint& checkpoint) {
  const Sidecar& sidecar = checkpoint.sidecar.value();
  const amr::SavedRun& run = checkpoint.run;
  Json json;
  json["sidecar_version"] = kSidecarVersion;
  json["step"] = run.step;
  json["wall_s"] = sidecar.wall_s;
  if (sidecar.reached) json["reached"] = *sidecar.reached;
  json["backend"] = sidecar.backend;
  json["workers"] = sidecar.workers;
  add_origin(json, sidecar.origin);
  json["paths"] = {{"configuration", sidecar.paths.configuration.string()},
                   {"folder", sidecar.paths.folder.string()},
                   {"case", sidecar.paths.case_file.string()},
                   {"solver", sidecar.paths.solver_file.string()}};
  json["next_check"] = run.next_check;
  json["sum_of_largest"] = run.counters.sum_of_largest;
  json["sum_of_means"] = run.counters.sum_of_means;
  json["load"] = load_json(run.counters.workers);
  json["longest_waits"] = waits_json(run.counters.longest_waits, json_of);
  json["keys"] = keys_of(sidecar.configuration);
  return json;
}

void write_sidecar(const std::filesystem::path& checkpoint_file, const Checkpoint& checkpoint,
                   std::uint64_t seal) {
  Json json = sidecar_json(checkpoint);
  json["seal"] = seal_text(seal);
  PartFile part(sidecar_of(checkpoint_file));
  FileWriter writer(part.part());
  // Names of files may hold any bytes.
  writer.write(json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  writer.close();
  part.publish_unsynced();
}

void read_sidecar(const std::filesystem::path& checkpoint_file, Checkpoint& checkpoint) {
  const std::filesystem::path file = sidecar_of(checkpoint_file);
  const auto fail = [&](const std::string& what) -> SidecarError {
    return SidecarError(fmt::format("'{}' {}", one_line(file.string()), what));
  };
  const std::uint64_t seal = hash_in_seal(checkpoint_file);
  try {
    complete(checkpoint, parsed(file), seal);
  } catch (const Fault& fault) {
    throw fail(fault.what());
  } catch (const amr::OptionError& error) {
    throw fail("is damaged: " + with_keys(error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw fail("is damaged: " + one_line(error.what()));
  } catch (const std::runtime_error& error) {  // Damage and ValueError
    throw fail(fmt::format("is damaged: {}", error.what()));
  }
}

}  // namespace kumiko::io
