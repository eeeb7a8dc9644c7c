#include "schedule/step_rules.hpp"

#include <algorithm>

namespace kumiko::amr {

bool StepRules::finishes(int level, std::size_t slot) const {
  if (plan_.has_children(level, slot)) return true;
  if (!flux_form_) return false;
  const auto siblings = plan_.of(level, slot).siblings;
  return std::any_of(siblings.begin(), siblings.end(), [&](const PlannedRead& read) {
    return plan_.has_children(level, static_cast<std::size_t>(read.slot));
  });
}

}  // namespace kumiko::amr
