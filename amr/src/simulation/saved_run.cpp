#include "simulation/saved_run.hpp"

#include <algorithm>
#include <span>

#include <kumiko/amr/require.hpp>

#include "sharing/letters.hpp"

namespace kumiko::amr {

namespace {

std::size_t record_size(int components) {
  return static_cast<std::size_t>(components) * kPatchPoints;
}

void check_histories(const SavedRun& saved, int index) {
  const std::vector<RegridHistory>& histories = saved.level(index).histories;
  for (std::size_t slot = 0; slot < histories.size(); ++slot) {
    const auto [since, unwanted] = histories[slot];
    require(since >= 0 && since <= saved.step && unwanted >= 0 && unwanted <= saved.step,
            "the saved run says that {} came at base step {} and was unwanted at {} regrids by "
            "step {}",
            to_string(saved.mesh.ids(index)[slot]), since, unwanted, saved.step);
  }
}

std::span<double> record_of(SavedRun& saved, int level, std::size_t slot) {
  const std::size_t size = saved.record_size();
  return std::span(saved.levels[static_cast<std::size_t>(level)].values).subspan(slot * size, size);
}

void check_sizes(const SavedLevel& saved, int index, std::size_t patches, int components) {
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
  const int levels = hierarchy.max_levels();
  require(saved.mesh.levels() <= levels, "the saved run has {} levels with patches; `levels` is {}",
          saved.mesh.levels(), levels);
  require(saved.levels.size() == static_cast<std::size_t>(saved.mesh.levels()),
          "the saved run has values on {} levels, and patches on {}", saved.levels.size(),
          saved.mesh.levels());
  // Regrids happen before a base step, never before the first one.
  require(levels == 1 || (saved.next_regrid >= std::max(saved.step, 1) &&
                          saved.next_regrid - saved.step <= longest_interval),
          "the saved run stands at base step {} with its next regrid at {}", saved.step,
          saved.next_regrid);
  require(saved.extras == 0 || saved.extras == static_cast<int>(kExtraNames.size()),
          "the saved run has {} extras in each record; {} are known", saved.extras,
          kExtraNames.size());
  for (int index = 0; index < saved.mesh.levels(); ++index) {
    check_sizes(saved.level(index), index, saved.mesh.size(index),
                hierarchy.shape().components + saved.extras);
    check_histories(saved, index);
  }
}

void check_base(const SavedRun& saved, const SimulationOptions& options) {
  const auto [x, y] = saved.mesh.base().patches;
  const int wanted_x = options.points_x / kPatchSize;
  const int wanted_y = options.points_y / kPatchSize;
  require(x == wanted_x && y == wanted_y,
          "the saved run has {} x {} patches on level 0; the grid has {} x {}", x, y, wanted_x,
          wanted_y);
}

void check_nesting(std::span<const PatchId> patches, const Hierarchy& hierarchy) {
  for (const PatchId& id : patches) {
    require(hierarchy.mesh().nests(id),
            "the saved run has patch ({}, {}) of level {} without all it needs on level {}", id.i,
            id.j, id.level, id.level - 1);
  }
}

void make_room(SavedRun& saved, int components) {
  for (int index = 0; index < saved.mesh.levels(); ++index) {
    saved.levels.emplace_back().values.resize(saved.mesh.size(index) * record_size(components));
  }
}

void copy(const Patch& patch, std::size_t slot, SavedRun& to) {
  const int components = patch.now().components();
  double* record = record_of(to, patch.id().level, slot).data();
  for (int component = 0; component < components; ++component, record += kPatchPoints) {
    Eigen::Map<FieldArray>(record, kPatchSize, kPatchSize) = patch.now().interior(component);
  }
}

void copy_extras(const Patch& patch, int worker, double cost_s, const IndicatorField& indicator,
                 std::size_t slot, SavedRun& to) {
  const auto extra = [all = record_of(to, patch.id().level, slot)](Extra which) {
    const std::size_t after = kExtraNames.size() - static_cast<std::size_t>(which);
    return all.last(after * kPatchPoints).first(kPatchPoints);
  };
  std::ranges::fill(extra(Extra::kLevel), patch.id().level);
  std::ranges::fill(extra(Extra::kWorker), worker);
  std::ranges::fill(extra(Extra::kCost), cost_s);
  std::ranges::copy(indicator.values, extra(Extra::kIndicator).begin());
}

void copy(const SavedRun& saved, std::size_t slot, Patch& to) {
  const int components = to.now().components();
  const double* record = saved.record(to.id().level, slot).data();
  for (int component = 0; component < components; ++component, record += kPatchPoints) {
    to.now().interior(component) = Eigen::Map<const FieldArray>(record, kPatchSize, kPatchSize);
  }
}

void gather_records(const Mesh<2>& mesh, Owner& owner, Mailbox& mailbox, SavedRun& saved) {
  if (owner.count() == 1) return;
  const std::size_t size = saved.record_size();
  // Calls visit(owner, cfl, record) for all patches.
  const auto for_each = [&](auto visit) {
    for (int level = 0; level < mesh.levels(); ++level) {
      SavedLevel& of_level = saved.levels[static_cast<std::size_t>(level)];
      for (std::size_t slot = 0; slot < mesh.size(level); ++slot) {
        visit(mesh.owners(level)[slot], of_level.cfl[slot],
              std::span(of_level.values).subspan(slot * size, size));
      }
    }
  };
  mailbox.begin();
  if (owner.number() != 0) {
    std::vector<double> text;
    for_each([&](std::int32_t whose, double cfl, std::span<double> record) {
      if (whose != owner.number()) return;
      text.push_back(cfl);
      text.insert(text.end(), record.begin(), record.end());
    });
    return mailbox.send(0, std::as_bytes(std::span(text)));
  }
  NumbersOf letters(mailbox.collect(static_cast<std::size_t>(owner.count()) - 1));
  for_each([&](std::int32_t whose, double& cfl, std::span<double> record) {
    if (whose == 0) return;
    cfl = letters.take(whose, 1).front();
    std::ranges::copy(letters.take(whose, size), record.begin());
  });
}

}  // namespace kumiko::amr
