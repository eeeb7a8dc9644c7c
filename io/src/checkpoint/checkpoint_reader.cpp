#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/case.hpp>
#include <kumiko/io/checkpoint.hpp>

#include "checkpoint/checkpoint_views.hpp"
#include "checkpoint/record_reader.hpp"
#include "hdf5/hdf5_source.hpp"
#include "hdf5/limits.hpp"
#include "hdf5/seal.hpp"

namespace kumiko::io {

namespace {

using hdf5::Source;

constexpr const char* kRun = "/kumiko";
constexpr const char* kCounters = "/kumiko/counters";
constexpr int kMostFields = amr::kMostComponents + static_cast<int>(amr::kExtraNames.size());

std::vector<amr::PatchId> read_patches(const Source& source, int level) {
  const std::string path = fmt::format("/level_{}/boxes", level);
  const hdf5::Object dataset = source.open_dataset(path);
  std::vector<Corners> boxes(source.count(dataset, path, sizeof(Corners)));
  const hdf5::Object type = hdf5::make_integers_type(kCornerNames);
  Source::read(dataset, type.id(), boxes.data());
  std::vector<amr::PatchId> ids;
  ids.reserve(boxes.size());
  for (const auto& [i, j, last_i, last_j] : boxes) {
    constexpr std::int64_t kLast = amr::kPatchSize - 1;
    if (i % amr::kPatchSize != 0 || j % amr::kPatchSize != 0 || last_i != i + kLast ||
        last_j != j + kLast) {
      source.refuse(Source::odd(path));
    }
    ids.push_back({level, i / amr::kPatchSize, j / amr::kPatchSize});
  }
  return ids;
}

amr::Geometry read_geometry(const Source& source) {
  constexpr const char* kBase = "/level_0";
  constexpr const char* kDomain = "prob_domain";
  constexpr int kMostPoints = 1 << 24;
  const hdf5::Object attribute = source.open_attribute(kBase, kDomain);
  const hdf5::Object type = hdf5::make_integers_type(kCornerNames);
  Corners domain{};
  hdf5::require(H5Aread(attribute.id(), type.id(), domain.data()));
  const auto& [i, j, last_i, last_j] = domain;
  const double spacing = source.number<double>(kBase, "dx");
  const bool fits = i == 0 && j == 0 && last_i >= 0 && last_i < kMostPoints && last_j >= 0 &&
                    last_j < kMostPoints && spacing > 0.0 && std::isfinite(spacing);
  if (!fits) source.refuse(Source::odd(kDomain));
  const std::string centring = source.attribute_text(kRun, "centring");
  if (centring != "cell" && centring != "node") source.refuse(Source::odd("centring"));
  const int points_x = last_i + 1;
  const int points_y = last_j + 1;
  try {
    return {points_x,
            points_y,
            {spacing * points_x, spacing * points_y},
            {},
            centring == "cell" ? amr::Centring::kCell : amr::Centring::kNode};
  } catch (const std::invalid_argument&) {
    source.refuse(Source::odd(kDomain));
  }
}

/// The patches of all levels. Checks their number on level 0 before the mesh allocates memory.
amr::Mesh<2> read_mesh(const Source& source, const amr::BaseGrid<2>& base) {
  const int levels = source.integer("/", "num_levels");
  if (levels < 1 || levels > kMostLevels) source.refuse(Source::odd("num_levels"));
  const std::vector<amr::PatchId> coarsest = read_patches(source, 0);
  const auto [across, up] = base.patches;
  if (coarsest.size() != static_cast<std::size_t>(across) * static_cast<std::size_t>(up)) {
    source.refuse(fmt::format("is damaged: level 0 has {} patches, not {} x {}", coarsest.size(),
                              across, up));
  }
  try {
    amr::Mesh<2> mesh(base);
    mesh.assign(0, coarsest);
    for (int level = 1; level < levels; ++level) mesh.assign(level, read_patches(source, level));
    if (mesh.levels() != levels) source.refuse(Source::odd("num_levels"));
    return mesh;
  } catch (const std::invalid_argument& error) {
    source.refuse(fmt::format("is damaged: {}", error.what()));
  }
}

/// \return the layout's version, one that is read here
int checked_layout(const Source& source) {
  if (source.has_attribute(kTraceFormat)) {
    throw NotACheckpoint(fmt::format(
        "'{}' is a trace, not a checkpoint; export it with --format chrome, otf2 or csv",
        source.name()));
  }
  if (!source.has("/kumiko")) source.refuse("was not written by Kumiko: it has no '/kumiko'");
  const int layout = source.integer(kRun, "layout_version");
  if (layout >= kOldestLayout && layout <= kLayoutVersion) return layout;
  source.refuse(
      fmt::format("has layout {}, but this version of Kumiko reads {} to {}; use {} Kumiko", layout,
                  kOldestLayout, kLayoutVersion, layout > kLayoutVersion ? "a newer" : "an older"));
}

/// The run's choice of its steps; empty if the file has none.
std::optional<amr::StepChoice> read_choice(const Source& source, int step) {
  constexpr const char* kSteps = "/kumiko/steps";
  if (!source.has(kSteps)) return std::nullopt;
  const auto number = [&](const char* name) { return source.number<double>(kSteps, name); };
  const int first = source.integer(kSteps, "stretch_first");
  const auto count = source.number<std::int64_t>(kSteps, "stretch_count");
  const double begin = number("stretch_begin");
  const double end = number("stretch_end");
  constexpr std::int64_t kMostSteps = std::int64_t{1} << 50U;
  const bool is_stretch = first >= 0 && first <= step && count >= 1 && count <= kMostSteps &&
                          step <= first + count && std::isfinite(end) && begin >= 0.0 &&
                          end > begin;
  if (!is_stretch) source.refuse(Source::odd("stretch"));
  const amr::StepChoice choice{{first, begin, end, count},
                               number("free_dt"),
                               source.integer(kSteps, "chosen_at"),
                               number("rate"),
                               number("cfl")};
  const bool is_sound = choice.step >= 0 && choice.step <= step && choice.free_dt >= 0.0 &&
                        choice.rate >= 0.0 && choice.cfl >= 0.0 &&
                        std::isfinite(choice.free_dt + choice.rate + choice.cfl);
  if (!is_sound) source.refuse(Source::odd("steps"));
  return choice;
}

std::vector<Ancestor> read_lineage(const Source& source) {
  const std::string path = "/kumiko/lineage";
  std::vector<Ancestor> lineage;
  if (!source.has(path)) return lineage;
  const int restarts = source.integer(path, "restarts");
  for (int at = 0; at < restarts; ++at) {
    const std::string restart = fmt::format("{}/{}", path, at);
    if (!source.has(restart)) source.refuse(Source::odd("lineage"));
    lineage.push_back({source.integer(restart, "step"),
                       source.attribute_text(restart, "state_hash"),
                       source.text(restart + "/keys")});
  }
  return lineage;
}

std::optional<BegunFrom> read_begun_from(const Source& source) {
  constexpr const char* kBegun = "/kumiko/begun_from";
  if (!source.has(kBegun)) return std::nullopt;
  BegunFrom begun{source.attribute_text(kBegun, "file"),
                  source.attribute_text(kBegun, "case"),
                  source.integer(kBegun, "step"),
                  source.number<double>(kBegun, "time"),
                  source.attribute_text(kBegun, "state_hash"),
                  source.number<double>(kBegun, "begun_at"),
                  source.integer(kBegun, "has_exact") != 0,
                  {}};
  const std::string path = fmt::format("{}/masses", kBegun);
  const auto masses = source.list<double>(path);
  if (masses.size() % 3 != 0) source.refuse(Source::odd(path));
  for (std::size_t at = 0; at < masses.size(); at += 3) {
    begun.mass.push_back({masses[at], masses[at + 1], masses[at + 2]});
  }
  return begun;
}

RunAttributes read_attributes(const Source& source) {
  RunAttributes attributes;
  attributes.time = source.number<double>(kRun, "time");
  attributes.dt = source.number<double>(kRun, "dt");
  attributes.subcycling = source.integer(kRun, "subcycling") != 0;
  attributes.configuration = source.text("/kumiko/configuration");
  attributes.lineage = read_lineage(source);
  attributes.begun_from = read_begun_from(source);
  return attributes;
}

/// Reads the scale and the masses of each component. A file of an earlier layout has one scale for
/// all, and only the sum of the masses of several components, which is not used.
void read_components(const Source& source, int layout, std::size_t components,
                     Checkpoint& checkpoint) {
  auto& masses = checkpoint.attributes.initial_masses;
  auto& scales = checkpoint.run.scales;
  if (layout > kLayoutWithoutComponents) {
    const auto of_mass = source.list<double>("/kumiko/initial_masses");
    if (!of_mass.empty() && of_mass.size() != 2 * components) {
      source.refuse(Source::odd("initial_masses"));
    }
    for (std::size_t at = 0; at < of_mass.size(); at += 2) {
      masses.push_back({of_mass[at], of_mass[at + 1]});
    }
    const auto of_scale = source.list<double>("/kumiko/indicator_scales", 2 * components);
    for (std::size_t at = 0; at < of_scale.size(); at += 2) {
      scales.push_back({of_scale[at], of_scale[at + 1]});
    }
    return;
  }
  const auto scale = source.number<double>(kRun, "indicator_scale");
  scales.assign(components, {scale, scale});
  if (components > 1 || !source.has_attribute("initial_absolute_mass", kRun)) return;
  masses.push_back({source.number<double>(kRun, "initial_mass"),
                    source.number<double>(kRun, "initial_absolute_mass")});
}

std::vector<amr::PatchWait> read_waits(const Source& source) {
  constexpr std::size_t kNumbers = 9;
  constexpr auto kLastCause = static_cast<std::int64_t>(amr::WaitCause::kLevel);
  const auto seconds = source.list<double>("/kumiko/counters/wait_seconds");
  const std::string path = "/kumiko/counters/waits";
  const auto numbers = source.list<std::int64_t>(path, seconds.size() * kNumbers);
  if (seconds.size() > amr::WorkCounters::kLongestWaits) source.refuse(Source::odd(path));
  std::vector<amr::PatchWait> waits;
  for (std::size_t at = 0; at < seconds.size(); ++at) {
    const auto number = [&](std::size_t which) {
      return source.to_int(numbers[at * kNumbers + which], path);
    };
    if (number(2) < 0 || number(2) > kLastCause) source.refuse(Source::odd(path));
    waits.push_back({seconds[at],
                     number(0),
                     number(1),
                     static_cast<amr::WaitCause>(number(2)),
                     {number(3), number(4), number(5)},
                     {number(6), number(7), number(8)}});
  }
  return waits;
}

amr::WorkCounters read_counters(const Source& source) {
  amr::WorkCounters counters;
  counters.updates_per_level = source.list<std::uint64_t>("/kumiko/counters/updates_per_level");
  counters.regrids = source.number<std::uint64_t>(kCounters, "regrids");
  if (source.has_attribute("largest_cfl", kCounters)) {
    counters.largest_cfl = source.number<double>(kCounters, "largest_cfl");
  }
  return counters;
}

/// Reads from a file of the oldest layout the data that are in sidecars now.
void read_own_sidecar(const Source& source, Checkpoint& checkpoint) {
  const std::string path = "/kumiko/counters/";
  amr::WorkCounters& counters = checkpoint.run.counters;
  const auto updates = source.list<std::uint64_t>(path + "updates");
  if (updates.size() > std::size_t{kMostWorkers}) source.refuse(Source::odd(path + "updates"));
  const auto steals = source.list<std::uint64_t>(path + "steals", updates.size());
  const auto busy = source.list<double>(path + "busy_s", updates.size());
  const auto wait = source.list<double>(path + "wait_s", updates.size());
  for (std::size_t worker = 0; worker < updates.size(); ++worker) {
    counters.workers.push_back({updates[worker], busy[worker], wait[worker], steals[worker]});
  }
  counters.sum_of_largest = source.number<std::uint64_t>(kCounters, "sum_of_largest");
  counters.sum_of_means = source.number<double>(kCounters, "sum_of_means");
  counters.longest_waits = read_waits(source);
  checkpoint.run.next_check = source.integer(kRun, "next_check");
  Sidecar& sidecar = checkpoint.sidecar.emplace();
  sidecar.wall_s = source.number<double>(kRun, "wall_s");
  sidecar.workers = static_cast<int>(counters.workers.size());
  sidecar.origin.version = source.attribute_text(kRun, "version");
}

amr::SavedLevel read_level(const Source& source, int layout, std::span<const amr::PatchId> ids,
                           RecordReader& records) {
  amr::SavedLevel level;
  const std::string path = fmt::format("/kumiko/level_{}/", ids.front().level);
  const std::size_t patches = ids.size();
  const auto since = source.list<std::int64_t>(path + "since", patches);
  const auto unwanted = source.list<std::int64_t>(path + "unwanted", patches);
  for (std::size_t slot = 0; slot < patches; ++slot) {
    level.histories.push_back(
        {source.to_int(since[slot], path), source.to_int(unwanted[slot], path)});
  }
  level.cfl = source.list<double>(path + "cfl", patches);
  level.travelled = layout > kLayoutWithoutComponents
                        ? source.list<double>(path + "travelled", patches)
                        : std::vector<double>(patches, 0.0);
  level.values = records.read_level(ids);
  return level;
}

/// \param keeps  whether to keep the values, or else to leave them in the file, if it is not
///     compressed
StoredState read_contents(const Source& source, bool keeps, const RecordVisitor& look) {
  const int layout = checked_layout(source);
  const amr::Geometry geometry = read_geometry(source);
  Checkpoint checkpoint{read_attributes(source), {read_mesh(source, geometry.base_grid())}};
  amr::SavedRun& run = checkpoint.run;
  run.step = source.integer(kRun, "step");
  run.time = checkpoint.attributes.time;
  run.dt = checkpoint.attributes.dt;
  run.choice = read_choice(source, run.step);
  run.next_regrid = source.integer(kRun, "next_regrid");
  run.unnested = source.number<std::uint64_t>(kRun, "unnested");
  run.counters = read_counters(source);
  if (layout == kOldestLayout) read_own_sidecar(source, checkpoint);
  const int components = source.integer("/", "num_components");
  if (components < 1 || components > kMostFields) source.refuse(Source::odd("num_components"));
  run.extras = source.integer(kRun, "figures");
  if (run.extras < 0 || run.extras >= components) source.refuse(Source::odd("figures"));
  read_components(source, layout, static_cast<std::size_t>(components - run.extras), checkpoint);
  for (int at = 0; at < components; ++at) {
    checkpoint.attributes.component_names.push_back(
        source.attribute_text("/", fmt::format("component_{}", at)));
  }
  const auto visit = [&](const amr::PatchId& id, std::span<const double> values) {
    if (look) look(checkpoint, id, values);
  };
  RecordReader records(source, static_cast<std::size_t>(components) * amr::kPatchPoints, visit);
  if (!keeps) run.source = records.leave_in_file();
  for (int level = 0; level < run.mesh.levels(); ++level) {
    run.levels.push_back(read_level(source, layout, run.mesh.ids(level), records));
  }
  checkpoint.geometry = geometry;
  return {std::move(checkpoint), geometry};
}

}  // namespace

void verify_checkpoint(const std::filesystem::path& file) { check_seal(file); }

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  return read_state(file).checkpoint;
}

StoredState read_state(const std::filesystem::path& file) {
  return hdf5::read_sealed(file, "checkpoint", hdf5::Stored::kPlain,
                           [](const Source& source) { return read_contents(source, true, {}); });
}

Checkpoint open_checkpoint(const std::filesystem::path& file, const RecordVisitor& look) {
  return hdf5::read_sealed(file, "checkpoint", hdf5::Stored::kPlain, [&](const Source& source) {
    return read_contents(source, false, look).checkpoint;
  });
}

}  // namespace kumiko::io
