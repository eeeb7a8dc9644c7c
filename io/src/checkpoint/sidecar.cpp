#include <algorithm>
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

#include "checkpoint/sidecar_file.hpp"
#include "config/core_keys.hpp"
#include "config/key_check.hpp"
#include "config/listed_name.hpp"
#include "files/part_file.hpp"
#include "hdf5/seal.hpp"
#include "text/message.hpp"

namespace kumiko::io {

namespace {

using Json = nlohmann::ordered_json;

/// Several times the size of a sidecar of the most workers.
constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 20U;

/// A fault of a sidecar; what() does not name the file.
struct Fault : std::runtime_error {
  using runtime_error::runtime_error;
};

/// A fault of one of its values.
using Damage = std::runtime_error;

Json keys_of(const amr::ParameterSet& configuration) {
  Json json = Json::object();
  for (const auto& entry : configuration.values()) {
    std::visit([&](const auto& value) { json[entry.first] = value; }, entry.second);
  }
  return json;
}

amr::ParameterValue to_value(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && !std::in_range<std::int64_t>(json.get<std::uint64_t>())) {
    throw Damage(fmt::format("{} is out of range", shown(json)));
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  const auto is_point = [](const Json& element) {
    return element.is_array() && element.size() == 2 && element[0].is_number() &&
           element[1].is_number();
  };
  if (json.is_array() && !json.empty() && std::ranges::all_of(json, is_point)) {
    return json.get<amr::PointList>();
  }
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
    const Key* const key = core.find(declared_name(name));
    if (key == nullptr || !key->changeable()) {
      throw Damage(fmt::format("{} is not a key of the run alone", in_quotes(name)));
    }
    values.set(name, checked_value(*key, to_value(value)));
    all.set(name, values.at(name));
  }
  read<RunOptions>(all);  // Some texts stand for amounts.
  return values;
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
  const auto version = to_number<int>(json.at("sidecar_version"));
  if (version == kSidecarVersion || version == kVersionWithoutSeal) return version;
  throw Fault(
      fmt::format("has version {}, but this version of Kumiko reads {}", version, kSidecarVersion));
}

std::string seal_text(std::uint64_t seal) { return fmt::format("{:016x}", seal); }

void complete(Checkpoint& checkpoint, const Json& json, std::uint64_t seal) {
  const int version = checked_version(json);
  if (const auto step = to_number<int>(json.at("step")); step != checkpoint.run.step) {
    throw Fault(fmt::format("is of base step {}, not of {}", step, checkpoint.run.step));
  }
  if (version != kVersionWithoutSeal && json.at("seal").get<std::string>() != seal_text(seal)) {
    throw Fault("belongs to another file of this name: its seal is that file's");
  }
  SidecarFile file;
  file.counters = checkpoint.run.counters;
  json.get_to(file);
  file.configuration = to_configuration(file.keys);
  checkpoint.run.next_check = file.next_check;
  checkpoint.run.counters = std::move(file.counters);
  checkpoint.sidecar = std::move(file);
}

SidecarFile file_of(const Checkpoint& checkpoint) {
  const amr::SavedRun& run = checkpoint.run;
  const Sidecar& sidecar = checkpoint.sidecar.value();
  return {sidecar,        kSidecarVersion, run.step,
          run.next_check, run.counters,    keys_of(sidecar.configuration)};
}

}  // namespace

std::filesystem::path sidecar_of(const std::filesystem::path& checkpoint_file) {
  std::filesystem::path name = checkpoint_file;
  if (name.extension() == ".hdf") name.replace_extension();
  name += kSidecarEnd;
  return name;
}

Json sidecar_json(const Checkpoint& checkpoint) { return file_of(checkpoint); }

void write_sidecar(const std::filesystem::path& checkpoint_file, const Checkpoint& checkpoint,
                   std::uint64_t seal) {
  SidecarFile file = file_of(checkpoint);
  file.seal = seal_text(seal);
  PartFile part(sidecar_of(checkpoint_file));
  FileWriter writer(part.part());
  // Names of files may hold any bytes.
  writer.write(Json(file).dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
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
