#include "refinement/regrid_plan.hpp"

#include <utility>

#include "observation/patch_error.hpp"
#include "refinement/level_choice.hpp"

namespace kumiko::amr {

RegridPlan::RegridPlan(const Hierarchy& hierarchy, Backend& backend, Communicator& communicator,
                       const RefinementOptions& options, Indicator indicator)
    : hierarchy_(hierarchy),
      backend_(backend),
      communicator_(communicator),
      options_(options),
      indicator_(std::move(indicator)),
      regions_(hierarchy.geometry(), hierarchy.max_levels(), options.regions),
      held_(static_cast<std::size_t>(hierarchy.max_levels())),
      wanted_(held_.size()),
      came_(held_.size()) {
  histories_.follow(hierarchy.mesh());
}

void RegridPlan::resume(int index, std::span<const RegridHistory> histories) {
  for (std::size_t slot = 0; slot < histories.size(); ++slot) {
    histories_.at(index, slot) = histories[slot];
  }
}

void RegridPlan::begin(int step) {
  step_ = step;
  unnested_ = 0;
  find_held();
}

bool RegridPlan::is_held(const RegridHistory& history) const {
  return history.unwanted < options_.hysteresis || step_ - history.since < options_.min_lifetime;
}

void RegridPlan::find_held() {
  for (std::vector<PatchId>& level : held_) level.clear();
  for (std::size_t index = held_.size(); index-- > 1;) {
    const auto ids = hierarchy_.mesh().ids(static_cast<int>(index));
    const auto histories = histories_.level(static_cast<int>(index));
    for (std::size_t slot = 0; slot < ids.size(); ++slot) {
      if (is_held(histories[slot])) held_[index].push_back(ids[slot]);
    }
    sort_unique(held_[index]);
    if (index > 1) add_support(hierarchy_.mesh().base(), held_[index], held_[index - 1]);
  }
}

/// Fills the ghosts of a level, and tags this rank's patches.
void RegridPlan::tag(int index, double time, const FillGhosts& fill) {
  const Level& level = hierarchy_.level(index);
  const double keep_above = keep_threshold(options_);
  const bool keeps_longer = keep_above < options_.threshold;
  refine_.assign(level.size(), {});
  keep_.assign(keeps_longer ? level.size() : 0, {});
  backend_.for_each(level, [&](std::size_t slot, int) {
    fill(index, slot);
    IndicatorField indicator;
    in_patch("the refinement indicator", level.patch(slot).id(), time,
             [&] { indicator_(level.patch(slot), time, indicator); });
    if (indicator.is_zero) return;
    refine_[slot] = tags_above(indicator, options_.threshold);
    if (keeps_longer) keep_[slot] = tags_above(indicator, keep_above);
  });
}

/// The quadrants that the tags of this rank's patches request, on these patches and their
/// neighbours.
std::vector<PatchValue<TaggedQuadrants>> RegridPlan::tagged(int index) {
  const Level& level = hierarchy_.level(index);
  std::vector<TaggedQuadrants> quadrants(level.size());
  const auto find = [&](std::size_t slot) {
    const auto of = [&](const std::vector<TagRows>& tags) {
      return static_cast<std::uint8_t>(
          tagged_quadrants(hierarchy_.plan(), index, slot, tags, options_.buffer));
    };
    quadrants[slot] = {of(refine_), keep_.empty() ? std::uint8_t{0} : of(keep_)};
  };
  backend_.for_each(level, [&](std::size_t slot, int) { find(slot); });
  for (const std::size_t slot : foreign_siblings(index)) find(slot);
  std::vector<PatchValue<TaggedQuadrants>> parts;
  const std::span<const PatchId> ids = hierarchy_.mesh().ids(index);
  for (std::size_t slot = 0; slot < ids.size(); ++slot) {
    const TaggedQuadrants& one = quadrants[slot];
    if ((one.refine | one.keep) != 0) parts.push_back({ids[slot], 0, one});
  }
  return parts;
}

/// Slots of others' patches beside this rank's.
std::set<std::size_t> RegridPlan::foreign_siblings(int index) const {
  std::set<std::size_t> slots;
  if (hierarchy_.level(index).own().size() == hierarchy_.level(index).size()) return slots;
  for (const std::uint32_t slot : hierarchy_.level(index).own()) {
    for (const PlannedRead& read : hierarchy_.plan().of(index, slot).siblings) {
      const auto sibling = static_cast<std::size_t>(read.slot);
      if (!communicator_.has(hierarchy_.mesh(), index, sibling)) slots.insert(sibling);
    }
  }
  return slots;
}

std::vector<PatchId> RegridPlan::children(int level, double time, const FillGhosts& fill) {
  tag(level, time, fill);
  LevelChoice choice = choose_level(hierarchy_.mesh(), hierarchy_.plan(), level,
                                    collect(communicator_, tagged(level)),
                                    held_[static_cast<std::size_t>(level) + 1], regions_);
  unnested_ += choice.unnested;
  wanted_[static_cast<std::size_t>(level) + 1] = std::move(choice.wanted);
  return std::move(choice.ids);
}

void RegridPlan::end() {
  for (std::size_t level = 1; level < wanted_.size(); ++level) {
    const int index = static_cast<int>(level);
    const std::span<const PatchId> ids = hierarchy_.mesh().ids(index);
    const std::vector<PatchId>& wanted = wanted_[level];
    std::vector<bool> is_new(ids.size());
    for (const std::size_t slot : came_[level]) is_new[slot] = true;
    auto next = wanted.begin();
    for (std::size_t slot = 0; slot < ids.size(); ++slot) {
      while (next != wanted.end() && *next < ids[slot]) ++next;
      const bool is_wanted = next != wanted.end() && *next == ids[slot];
      int& unwanted = histories_.at(index, slot).unwanted;
      unwanted = is_wanted || is_new[slot] ? 0 : unwanted + 1;
    }
  }
}

void RegridPlan::note_arrivals(int index, const std::vector<std::size_t>& came) {
  histories_.follow(hierarchy_.mesh());
  for (const std::size_t slot : came) histories_.at(index, slot) = {step_, 0};
  came_[static_cast<std::size_t>(index)] = came;
}

}  // namespace kumiko::amr
