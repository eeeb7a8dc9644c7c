#include "schedule/step_rules.hpp"

#include <algorithm>

namespace kumiko::amr {

bool StepRules::finishes(const Patch& patch) const {
  if (patch.has_children()) return true;
  if (!hierarchy_.shape().flux_form) return false;
  const Level& level = hierarchy_.level(patch.id().level);
  return std::any_of(patch.ghost_sources.begin(), patch.ghost_sources.end(),
                     [&](const GhostSource& source) {
                       return source.kind == GhostSource::Kind::kSibling &&
                              level.patch(static_cast<std::size_t>(source.slot)).has_children();
                     });
}

}  // namespace kumiko::amr
