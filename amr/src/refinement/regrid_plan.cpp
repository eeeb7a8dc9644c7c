#include "refinement/regrid_plan.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace kumiko::amr {

RegridPlan::RegridPlan(Hierarchy& hierarchy, Backend& backend, const RefinementOptions& options,
                       Indicator indicator)
    : hierarchy_(hierarchy),
      backend_(backend),
      options_(options),
      indicator_(std::move(indicator)),
      regions_(hierarchy.geometry(), hierarchy.max_levels(), options.regions),
      held_(static_cast<std::size_t>(hierarchy.max_levels())) {}

void RegridPlan::begin(int step) {
  step_ = step;
  unnested_ = 0;
  find_held();
}

bool RegridPlan::is_held(const Patch& patch) const {
  return patch.history.unwanted < options_.hysteresis ||
         step_ - patch.history.since < options_.min_lifetime;
}

void RegridPlan::find_held() {
  for (std::vector<PatchId>& level : held_) level.clear();
  for (std::size_t index = held_.size(); index-- > 1;) {
    const Level& level = hierarchy_.level(static_cast<int>(index));
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      if (is_held(level.patch(slot))) held_[index].push_back(level.patch(slot).id());
    }
    sort_unique(held_[index]);
    if (index > 1) add_support(hierarchy_.mesh().base(), held_[index], held_[index - 1]);
  }
}

void RegridPlan::tag(int index, double time) {
  const Level& level = hierarchy_.level(index);
  const double keep_above = keep_threshold(options_);
  const bool keeps_longer = keep_above < options_.threshold;
  refine_.resize(level.size());
  keep_.resize(keeps_longer ? level.size() : 0);
  backend_.for_each(level, [&](std::size_t slot, int) {
    IndicatorField indicator;
    indicator_(level.patch(slot), time, indicator);
    refine_[slot] = tags_above(indicator, options_.threshold);
    if (keeps_longer) keep_[slot] = tags_above(indicator, keep_above);
  });
}

std::vector<PatchId> RegridPlan::wanted(int index) {
  const Level& level = hierarchy_.level(index);
  std::vector<std::uint8_t> quadrants(level.size());
  std::vector<std::uint8_t> unnested(level.size(), 0);
  backend_.for_each(level, [&](std::size_t slot, int) {
    const Patch& patch = level.patch(slot);
    const ReadPlan& plan = hierarchy_.plan();
    unsigned chosen = tagged_quadrants(plan, index, slot, refine_, options_.buffer);
    if (!keep_.empty()) {
      chosen |= tagged_quadrants(plan, index, slot, keep_, options_.buffer) &
                refined_quadrants(plan, index, slot);
    }
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      if ((chosen >> quadrant & 1U) == 0) continue;
      const PatchId child = patch.id().child(quadrant);
      const bool allowed = regions_.allow(child);
      if (allowed && hierarchy_.mesh().nests(child)) continue;
      chosen &= ~(1U << quadrant);
      if (allowed) ++unnested[slot];
    }
    quadrants[slot] = static_cast<std::uint8_t>(chosen);
  });
  unnested_ = std::accumulate(unnested.begin(), unnested.end(), unnested_);
  std::vector<PatchId> ids;
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      if ((quadrants[slot] >> quadrant & 1U) == 0) continue;
      ids.push_back(level.patch(slot).id().child(quadrant));
    }
  }
  sort_unique(ids);
  return ids;
}

std::vector<PatchId> RegridPlan::children(int level, double time) {
  tag(level, time);
  std::vector<PatchId> ids = wanted(level);
  count_unwanted(level + 1, ids);
  const auto next = static_cast<std::size_t>(level) + 1;
  ids.insert(ids.end(), held_[next].begin(), held_[next].end());
  const std::vector<PatchId>& forced = regions_.forced(level + 1);
  ids.insert(ids.end(), forced.begin(), forced.end());
  sort_unique(ids);
  return ids;
}

void RegridPlan::count_unwanted(int index, const std::vector<PatchId>& wanted) {
  Level& level = hierarchy_.level(index);
  auto next = wanted.begin();
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    Patch& patch = level.patch(slot);
    next = std::lower_bound(next, wanted.end(), patch.id());
    const bool is_wanted = next != wanted.end() && *next == patch.id();
    patch.history.unwanted = is_wanted ? 0 : patch.history.unwanted + 1;
  }
}

void RegridPlan::note_arrivals(int index, const std::vector<std::size_t>& came) {
  for (const std::size_t slot : came) hierarchy_.level(index).patch(slot).history = {step_, 0};
}

}  // namespace kumiko::amr
