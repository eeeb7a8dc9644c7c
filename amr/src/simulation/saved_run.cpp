#include "simulation/saved_run.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include <kumiko/amr/require.hpp>
#include <kumiko/cluster/packing.hpp>

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

void check_sizes(const SavedRun& run, int index, int components) {
  const SavedLevel& saved = run.level(index);
  const std::size_t patches = run.mesh.size(index);
  const std::size_t values = run.source ? patches * run.source.record_size : saved.values.size();
  require(saved.histories.size() == patches && saved.cfl.size() == patches &&
              saved.travelled.size() == patches && values == patches * record_size(components),
          "the saved run has {} patches on level {}, but {} histories, {} CFL numbers, {} "
          "distances and {} values for {} components",
          patches, index, saved.histories.size(), saved.cfl.size(), saved.travelled.size(), values,
          components);
}

}  // namespace

void check(const SavedRun& saved, const Hierarchy& hierarchy, int steps) {
  require(saved.step >= 0 && (steps == 0 || saved.step <= steps),
          "the saved run stands at base step {} of {}", saved.step, steps);
  const int levels = hierarchy.max_levels();
  require(saved.mesh.levels() <= levels,
          "the saved run has {} levels with patches, and `levels` is {}; set it to as many or more",
          saved.mesh.levels(), levels);
  require(saved.levels.size() == static_cast<std::size_t>(saved.mesh.levels()),
          "the saved run has values on {} levels, and patches on {}", saved.levels.size(),
          saved.mesh.levels());
  // With one level there was none, and a run may begin with one that is due.
  const bool is_due = saved.next_regrid == 0;
  require(levels == 1 || is_due || saved.next_regrid >= std::max(saved.step, 1),
          "the saved run stands at base step {} with its next regrid at {}", saved.step,
          saved.next_regrid);
  require(saved.extras == 0 || saved.extras == static_cast<int>(kExtraNames.size()),
          "the saved run has {} extras in each record; {} are known", saved.extras,
          kExtraNames.size());
  const int components = hierarchy.shape().components;
  require(saved.scales.size() == static_cast<std::size_t>(components),
          "the saved run has scales of {} components; the solver has {}", saved.scales.size(),
          components);
  for (int index = 0; index < saved.mesh.levels(); ++index) {
    check_sizes(saved, index, components + saved.extras);
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

void copy(const Patch& patch, Record to) {
  const int components = patch.now().components();
  double* record = to.data();
  for (int component = 0; component < components; ++component, record += kPatchPoints) {
    Eigen::Map<FieldArray>(record, kPatchSize, kPatchSize) = patch.now().interior(component);
  }
}

void copy_extras(const Patch& patch, int worker, double cost_s, const IndicatorField& indicator,
                 Record to) {
  const auto extra = [to](Extra which) {
    const std::size_t after = kExtraNames.size() - static_cast<std::size_t>(which);
    return to.last(after * kPatchPoints).first(kPatchPoints);
  };
  std::ranges::fill(extra(Extra::kLevel), patch.id().level);
  std::ranges::fill(extra(Extra::kWorker), worker);
  std::ranges::fill(extra(Extra::kCost), cost_s);
  std::ranges::copy(indicator.values, extra(Extra::kIndicator).begin());
}

void copy(std::span<const double> record, Patch& to) {
  const double* values = record.data();
  for (int component = 0; component < to.now().components(); ++component, values += kPatchPoints) {
    to.now().interior(component) = Eigen::Map<const FieldArray>(values, kPatchSize, kPatchSize);
  }
}

void copy(const SavedRun& saved, std::size_t slot, Patch& to) {
  if (!saved.source) return copy(saved.record(to.id().level, slot), to);
  std::vector<double> read(record_size(to.now().components()));
  saved.source.read(to.id().level, slot, read);
  copy(read, to);
}

std::vector<std::vector<PatchRange>> record_ranges(const Mesh<2>& mesh, std::int32_t ranks) {
  std::size_t parts = 0;
  const auto parts_of = [&](int level) {
    return (mesh.size(level) + kRecordsTogether - 1) / kRecordsTogether;
  };
  for (int level = 0; level < mesh.levels(); ++level) parts += parts_of(level);
  std::vector<std::vector<PatchRange>> ranges(static_cast<std::size_t>(ranks));
  for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
    std::size_t begin = parts * rank / ranges.size();
    std::size_t end = parts * (rank + 1) / ranges.size();
    for (int level = 0; level < mesh.levels(); ++level) {
      const std::size_t here = parts_of(level);
      const std::size_t first = std::min(begin, here) * kRecordsTogether;
      const std::size_t last = std::min(std::min(end, here) * kRecordsTogether, mesh.size(level));
      if (first < last) ranges[rank].push_back({level, first, last - first});
      begin -= std::min(begin, here);
      end -= std::min(end, here);
    }
  }
  return ranges;
}

RecordExchange::RecordExchange(const Mesh<2>& mesh, const Communicator& communicator,
                               std::vector<std::vector<PatchRange>> ranges, std::size_t record_size)
    : mesh_(mesh),
      communicator_(communicator),
      ranges_(std::move(ranges)),
      records_{record_size, {}},
      outgoing_(ranges_.size()) {
  for (int level = 0; level < mesh.levels(); ++level) places_.emplace_back(mesh.size(level));
  for (std::size_t to = 0; to < ranges_.size(); ++to) {
    if (static_cast<std::int32_t>(to) == communicator.rank()) {
      make_room(ranges_[to]);
    } else {
      make_room_for(ranges_[to], outgoing_[to]);
    }
  }
}

/// For what this rank is to have.
void RecordExchange::make_room(const std::vector<PatchRange>& ranges) {
  const std::size_t size = records_.record_size;
  for (const PatchRange& range : ranges) {
    records_.ranges.push_back({range, std::vector<double>(range.count * size)});
    double* const values = records_.ranges.back().values.data();
    for (std::size_t at = 0; at < range.count; ++at) place(range, at) = values + at * size;
  }
}

/// For what another one is to have of it, in order.
void RecordExchange::make_room_for(const std::vector<PatchRange>& ranges,
                                   std::vector<double>& outgoing) {
  std::vector<double**> places;
  for (const PatchRange& range : ranges) {
    for (std::size_t at = 0; at < range.count; ++at) {
      if (communicator_.has(mesh_, range.level, range.first + at))
        places.push_back(&place(range, at));
    }
  }
  outgoing.resize(places.size() * records_.record_size);
  double* values = outgoing.data();
  for (double** const place : places) {
    *place = values;
    values += records_.record_size;
  }
}

void RecordExchange::send(std::int32_t to, Mailbox& mailbox, const SavedRun& saved) {
  std::vector<double> text = std::move(outgoing_[static_cast<std::size_t>(to)]);
  if (to == 0) {
    for (int level = 0; level < mesh_.levels(); ++level) {
      for (std::size_t slot = 0; slot < mesh_.size(level); ++slot) {
        if (!communicator_.has(mesh_, level, slot)) continue;
        text.push_back(saved.level(level).cfl[slot]);
        text.push_back(saved.level(level).travelled[slot]);
      }
    }
  }
  if (!text.empty()) mailbox.send(to, std::as_bytes(std::span(text)));
}

void RecordExchange::read(std::int32_t from, std::span<const std::byte> text, SavedRun& saved) {
  cluster::Reader reader(text);
  const auto take = [&](double* to, std::size_t values) {
    std::memcpy(to, reader.take(values * sizeof(double)), values * sizeof(double));
  };
  for (const RangeRecords& to : records_.ranges) {
    for (std::size_t at = 0; at < to.patches.count; ++at) {
      if (mesh_.ranks(to.patches.level)[to.patches.first + at] != from) continue;
      take(place(to.patches, at), records_.record_size);
    }
  }
  if (communicator_.rank() != 0) return;
  for (int level = 0; level < mesh_.levels(); ++level) {
    SavedLevel& of_level = saved.levels[static_cast<std::size_t>(level)];
    for (std::size_t slot = 0; slot < mesh_.size(level); ++slot) {
      if (mesh_.ranks(level)[slot] != from) continue;
      take(&of_level.cfl[slot], 1);
      take(&of_level.travelled[slot], 1);
    }
  }
}

void RecordExchange::swap(Mailbox& mailbox, SavedRun& saved) {
  mailbox.begin();
  try {
    // Those of different ranks are read at once: each has its own places.
    mailbox.open(
        [&](std::int32_t from, std::span<const std::byte> text) { read(from, text, saved); });
    for (std::int32_t to = 0; to < communicator_.size(); ++to) {
      if (to != communicator_.rank()) send(to, mailbox, saved);
    }
    mailbox.close();
  } catch (...) {
    mailbox.abandon();
    throw;
  }
}

}  // namespace kumiko::amr
