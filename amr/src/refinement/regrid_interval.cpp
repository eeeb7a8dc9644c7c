#include "refinement/regrid_interval.hpp"

#include <algorithm>
#include <span>

namespace kumiko::amr {

namespace {

double largest_cfl(const Mesh<2>& mesh, int index, std::span<const double> cfl, Owner& owner) {
  double largest = 0.0;
  for (std::size_t slot = 0; slot < cfl.size(); ++slot) {
    if (owner.has(mesh, index, slot)) largest = std::max(largest, cfl[slot]);
  }
  return collect_value(owner, largest, [](double a, double b) { return std::max(a, b); });
}

}  // namespace

int automatic_interval(const Hierarchy& hierarchy, const PatchTable<double>& cfl,
                       const StepClock& clock, int buffer, Owner& owner) {
  double steps = kLongestInterval;
  for (int index = 0; index + 1 < hierarchy.max_levels(); ++index) {
    const double points_per_base_step =
        largest_cfl(hierarchy.mesh(), index, cfl.level(index), owner) * clock.substeps(index);
    if (points_per_base_step > 0.0) steps = std::min(steps, buffer / points_per_base_step);
  }
  return std::max(1, static_cast<int>(steps));
}

}  // namespace kumiko::amr
