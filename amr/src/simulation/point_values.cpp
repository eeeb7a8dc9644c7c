#include "simulation/point_values.hpp"

#include <cstddef>
#include <span>
#include <utility>

#include "observation/point_place.hpp"

namespace kumiko::amr {

namespace {

/// Fills the ghosts that the interpolation reads, and those that the former are interpolated from.
/// By the mesh alone, so that all ranks know which patches these are.
void fill_ghosts_at(Run& run, std::span<const PointPlace> places) {
  const Hierarchy& hierarchy = run.hierarchy;
  if (hierarchy.geometry().centring() == Centring::kCell) return;
  ByPatch<char> needed(static_cast<std::size_t>(hierarchy.used_levels()));
  const auto mark = [&](int level, std::size_t slot) {
    std::vector<char>& marks = needed[static_cast<std::size_t>(level)];
    marks.resize(hierarchy.mesh().size(level));
    marks[slot] = 1;
  };
  for (const PointPlace& place : places) {
    if (place.reaches_ghosts()) mark(place.level, place.slot);
  }
  for (int level = hierarchy.used_levels() - 1; level > 0; --level) {
    const std::vector<char>& marks = needed[static_cast<std::size_t>(level)];
    for (std::size_t slot = 0; slot < marks.size(); ++slot) {
      if (marks[slot] == 0) continue;
      for (const PlannedRead& read : hierarchy.plan().of(level, slot).coarser) {
        mark(level - 1, static_cast<std::size_t>(read.slot));
      }
    }
  }
  for (int level = 0; level < hierarchy.used_levels(); ++level) {
    const std::vector<char>& marks = needed[static_cast<std::size_t>(level)];
    if (marks.empty()) continue;
    run.stepper.shadows().refresh(level);
    run.backend.for_each(hierarchy.level(level), [&](std::size_t slot, int) {
      if (marks[slot] != 0) run.fill_ghosts(level, slot);
    });
  }
}

std::size_t rank_of(const Hierarchy& hierarchy, const PointPlace& place) {
  return static_cast<std::size_t>(hierarchy.mesh().ranks(place.level)[place.slot]);
}

bool is_own(const Hierarchy& hierarchy, const PointPlace& place) {
  return rank_of(hierarchy, place) == static_cast<std::size_t>(hierarchy.communicator());
}

/// Takes values in turn from the lists of the ranks that have the points.
class ByRank {
 public:
  ByRank(const Hierarchy& hierarchy, std::vector<std::vector<double>> values)
      : hierarchy_(hierarchy), values_(std::move(values)), next_(values_.size()) {}

  double next(const PointPlace& place) {
    const std::size_t rank = rank_of(hierarchy_, place);
    return values_[rank][next_[rank]++];
  }

 private:
  const Hierarchy& hierarchy_;
  std::vector<std::vector<double>> values_;
  std::vector<std::size_t> next_;
};

/// Calls visit(set, step) for what is wanted of a window's states after its first one.
template <class Visit>
void for_each_wanted(const PointWatch& watch, int first, int last, Visit visit) {
  for (int step = first + 1; step <= last; ++step) {
    for (std::size_t set = 0; set < watch.sets(); ++set) {
      if (watch.is_wanted(set, step)) visit(set, step);
    }
  }
}

}  // namespace

std::vector<std::vector<double>> point_values(Run& run, Points points) {
  const Hierarchy& hierarchy = run.hierarchy;
  const int components = hierarchy.shape().components;
  std::vector<PointPlace> places;
  for (std::size_t at = 0; at < points.size(); ++at) {
    places.push_back(place_of(hierarchy, points.x[at], points.y[at]));
  }
  fill_ghosts_at(run, places);
  std::vector<double> own;
  for (const PointPlace& place : places) {
    if (!is_own(hierarchy, place)) continue;
    const ConstPatchView field =
        std::as_const(run.hierarchy).level(place.level).patch(place.slot).now();
    for (int component = 0; component < components; ++component) {
      own.push_back(value_at(hierarchy.geometry().centring(), field, place, component));
    }
  }
  ByRank by_rank(hierarchy, gather(run.communicator, std::move(own)));
  std::vector<std::vector<double>> values(static_cast<std::size_t>(components));
  for (const PointPlace& place : places) {
    for (std::vector<double>& of_component : values) of_component.push_back(by_rank.next(place));
  }
  return values;
}

std::vector<WatchedValues> watched_values(Run& run, int first, const StepClock& clock) {
  const Hierarchy& hierarchy = run.hierarchy;
  PointWatch& watch = run.stepper.watch();
  const int last = run.steps.step();
  bool is_any_wanted = false;
  for_each_wanted(watch, first, last, [&](std::size_t, int) { is_any_wanted = true; });
  if (!is_any_wanted) return {};
  if (watch.is_any_wanted(last)) {
    fill_ghosts_at(run, watch.places());
    watch.take_last(last);
  }
  std::vector<double> own;
  for_each_wanted(watch, first, last, [&](std::size_t set, int step) {
    const std::span<const PointPlace> places = watch.places(set);
    for (std::size_t point = 0; point < places.size(); ++point) {
      if (!is_own(hierarchy, places[point])) continue;
      const std::span<const double> values = watch.values(set, point, step);
      own.insert(own.end(), values.begin(), values.end());
    }
  });
  ByRank by_rank(hierarchy, gather(run.communicator, std::move(own)));
  std::vector<WatchedValues> all;
  if (run.communicator.rank() != 0) return all;
  for_each_wanted(watch, first, last, [&](std::size_t set, int step) {
    WatchedValues& row = all.emplace_back(WatchedValues{set, step, clock.time(step), {}});
    row.values.resize(static_cast<std::size_t>(hierarchy.shape().components));
    for (const PointPlace& place : watch.places(set)) {
      for (std::vector<double>& of_component : row.values) {
        of_component.push_back(by_rank.next(place));
      }
    }
  });
  return all;
}

}  // namespace kumiko::amr
