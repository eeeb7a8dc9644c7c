#include "schedule/step_rules.hpp"

#include <algorithm>

namespace kumiko::amr {

bool StepRules::finishes(int level, std::size_t slot) const {
  const ReadPlan& plan = hierarchy_.plan();
  if (plan.has_children(level, slot)) return true;
  if (!hierarchy_.shape().flux_form) return false;
  const auto siblings = plan.of(level, slot).siblings;
  return std::any_of(siblings.begin(), siblings.end(), [&](const PlannedRead& read) {
    return plan.has_children(level, static_cast<std::size_t>(read.slot));
  });
}

}  // namespace kumiko::amr
