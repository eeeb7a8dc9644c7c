#include "refinement/regrid_interval.hpp"

#include <algorithm>
#include <span>

namespace kumiko::amr {

namespace {

/// Base steps in which what is in a patch stays within the buffer.
double steps_within(const PatchMotion& motion, double substeps, double buffer) {
  const double rest = buffer - motion.travelled;
  const double points_per_base_step = motion.cfl * substeps;
  if (rest < 0.0) return 0.0;
  return points_per_base_step > 0.0 ? rest / points_per_base_step : kLongestInterval;
}

}  // namespace

double own_interval(const Hierarchy& hierarchy, const PatchTable<PatchMotion>& motion,
                    const StepClock& clock, int buffer, const Communicator& communicator) {
  double steps = kLongestInterval;
  for (int index = 0; index + 1 < hierarchy.max_levels(); ++index) {
    const std::span<const PatchMotion> of_level = motion.level(index);
    for (std::size_t slot = 0; slot < of_level.size(); ++slot) {
      if (!communicator.has(hierarchy.mesh(), index, slot)) continue;
      steps = std::min(steps, steps_within(of_level[slot], clock.substeps(index), buffer));
    }
  }
  return steps;
}

int automatic_interval(const Hierarchy& hierarchy, const PatchTable<PatchMotion>& motion,
                       const StepClock& clock, int buffer, Communicator& communicator) {
  const double own = own_interval(hierarchy, motion, clock, buffer, communicator);
  return static_cast<int>(
      collect_value(communicator, own, [](double a, double b) { return std::min(a, b); }));
}

}  // namespace kumiko::amr
