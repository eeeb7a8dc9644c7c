#include "simulation/saved_run.hpp"

#include <algorithm>
#include <span>

#include <kumiko/amr/require.hpp>

namespace kumiko::amr {

namespace {

std::size_t record_size(int components) {
  return static_cast<std::size_t>(components) * kPatchPoints;
}

void check_patches(const SavedLevel& saved, int index, const Geometry& geometry) {
  for (std::size_t slot = 0; slot < saved.patches.size(); ++slot) {
    const PatchId& id = saved.patches[slot];
    require(id.level == index && id.i >= 0 && id.j >= 0 && id.i < geometry.patches_x(index) &&
                id.j < geometry.patches_y(index),
            "the saved run has patch ({}, {}) of level {} on level {}, which has {} x {}", id.i,
            id.j, id.level, index, geometry.patches_x(index), geometry.patches_y(index));
    require(slot == 0 || saved.patches[slot - 1] < id,
            "the saved run has patch ({}, {}) of level {} twice, or out of order", id.i, id.j,
            index);
  }
}

void check_histories(const SavedLevel& saved, int step) {
  for (std::size_t slot = 0; slot < saved.histories.size(); ++slot) {
    const auto [since, unwanted] = saved.histories[slot];
    require(since >= 0 && since <= step && unwanted >= 0 && unwanted <= step,
            "the saved run says that {} came at base step {} and was unwanted at {} regrids by "
            "step {}",
            to_string(saved.patches[slot]), since, unwanted, step);
  }
}

std::span<double> record_of(SavedLevel& level, std::size_t slot) {
  const std::size_t size = level.values.size() / level.patches.size();
  return {level.values.data() + slot * size, size};
}

void check_sizes(const SavedLevel& saved, int index, int components) {
  const std::size_t patches = saved.patches.size();
  require(saved.histories.size() == patches && saved.cfl.size() == patches &&
              saved.values.size() == patches * record_size(components),
          "the saved run has {} patches on level {}, but {} histories, {} CFL numbers and {} "
          "values for {} components",
          patches, index, saved.histories.size(), saved.cfl.size(), saved.values.size(),
          components);
}

}  // namespace

void check(const SavedRun& saved, const Hierarchy& hierarchy, int steps, int longest_interval) {
  require(saved.step >= 0 && saved.step <= steps, "the saved run stands at base step {} of {}",
          saved.step, steps);
  const auto levels = static_cast<std::size_t>(hierarchy.max_levels());
  require(!saved.levels.empty() && saved.levels.size() <= levels,
          "the saved run has {} levels with patches; `levels` is {}", saved.levels.size(), levels);
  // Regrids happen before a base step, never before the first one.
  require(levels == 1 || (saved.next_regrid >= std::max(saved.step, 1) &&
                          saved.next_regrid - saved.step <= longest_interval),
          "the saved run stands at base step {} with its next regrid at {}", saved.step,
          saved.next_regrid);
  require(saved.extras == 0 || saved.extras == static_cast<int>(kExtraNames.size()),
          "the saved run has {} extras in each record; {} are known", saved.extras,
          kExtraNames.size());
  for (std::size_t at = 0; at < saved.levels.size(); ++at) {
    const int index = static_cast<int>(at);
    check_patches(saved.levels[at], index, hierarchy.geometry());
    check_sizes(saved.levels[at], index, hierarchy.shape().components + saved.extras);
    check_histories(saved.levels[at], saved.step);
  }
}

void check_base(const SavedRun& saved, std::size_t patches) {
  const std::size_t there = saved.levels.empty() ? 0 : saved.levels.front().patches.size();
  require(there == patches, "the saved run has {} patches on level 0; the grid has {}", there,
          patches);
}

void check_nesting(const SavedLevel& saved, const Hierarchy& hierarchy) {
  for (const PatchId& id : saved.patches) {
    require(hierarchy.mesh().nests(id),
            "the saved run has patch ({}, {}) of level {} without all it needs on level {}", id.i,
            id.j, id.level, id.level - 1);
  }
}

Mesh<2> mesh_of(const BaseGrid<2>& base, const SavedRun& saved) {
  require(!saved.levels.empty(), "the saved run has no patches");
  Mesh<2> mesh(base);
  for (std::size_t at = 0; at < saved.levels.size(); ++at) {
    mesh.assign(static_cast<int>(at), saved.levels[at].patches);
  }
  return mesh;
}

void make_room(SavedLevel& saved, const Level& level, int components) {
  saved.patches.resize(level.size());
  saved.values.resize(level.size() * record_size(components));
}

void copy(const Patch& patch, std::size_t slot, SavedLevel& to) {
  to.patches[slot] = patch.id();
  const int components = patch.now().components();
  double* record = record_of(to, slot).data();
  for (int component = 0; component < components; ++component, record += kPatchPoints) {
    Eigen::Map<FieldArray>(record, kPatchSize, kPatchSize) = patch.now().interior(component);
  }
}

void copy_extras(const Patch& patch, double cost_s, const IndicatorField& indicator,
                 std::size_t slot, SavedLevel& to) {
  const auto extra = [all = record_of(to, slot)](Extra which) {
    const std::size_t after = kExtraNames.size() - static_cast<std::size_t>(which);
    return all.last(after * kPatchPoints).first(kPatchPoints);
  };
  std::ranges::fill(extra(Extra::kLevel), patch.id().level);
  std::ranges::fill(extra(Extra::kWorker), patch.work.worker);
  std::ranges::fill(extra(Extra::kCost), cost_s);
  std::ranges::copy(indicator.values, extra(Extra::kIndicator).begin());
}

void copy(const SavedLevel& saved, std::size_t slot, Patch& to) {
  const int components = to.now().components();
  const double* record = saved.values.data() + slot * (saved.values.size() / saved.patches.size());
  for (int component = 0; component < components; ++component, record += kPatchPoints) {
    to.now().interior(component) = Eigen::Map<const FieldArray>(record, kPatchSize, kPatchSize);
  }
}

}  // namespace kumiko::amr
