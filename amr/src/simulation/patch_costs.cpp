#include "simulation/patch_costs.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace kumiko::amr {

ByPatch<double> PatchCosts::weighted(double time) const {
  const Mesh<2>& mesh = hierarchy_.mesh();
  ByPatch<double> costs = expected_costs(mesh, subcycling_);
  for (int level = 0; level < mesh.levels(); ++level) {
    std::vector<double>& of_level = costs[static_cast<std::size_t>(level)];
    for (std::size_t slot = 0; slot < of_level.size(); ++slot) {
      of_level[slot] *= stepper_.weight(mesh.ids(level)[slot], time);
    }
  }
  return costs;
}

std::optional<ByPatch<double>> PatchCosts::seconds(double time) const {
  for (int index = hierarchy_.used_levels(); index-- > 0;) {
    const Level& level = hierarchy_.level(index);
    if (level.own().empty()) continue;
    const Patch& patch = level.patch(level.own()[level.own().size() / 2]);
    const double unit = try_out(patch) / stepper_.weight(patch.id(), time);
    ByPatch<double> seconds = weighted(time);
    for (std::vector<double>& of_level : seconds) {
      for (double& cost : of_level) cost *= unit;
    }
    return seconds;
  }
  return std::nullopt;
}

double PatchCosts::try_out(const Patch& patch) const {
  constexpr std::chrono::microseconds kPatience(500);
  constexpr int kLeastTries = 3;  // one of which no other process interrupts
  constexpr int kMostTries = 20;
  const PatchShape& shape = hierarchy_.shape();
  std::vector<double> values(2 * shape.field_values());
  const PatchView before(values.data(), shape.components, shape.ghosts);
  const PatchView after(values.data() + shape.field_values(), shape.components, shape.ghosts);
  const auto inside = [](int index) { return std::clamp(index, 0, kPatchSize - 1); };
  for (int component = 0; component < shape.components; ++component) {
    for (int j = -shape.ghosts; j < kPatchSize + shape.ghosts; ++j) {
      for (int i = -shape.ghosts; i < kPatchSize + shape.ghosts; ++i) {
        before(i, j, component) = patch.now()(inside(i), inside(j), component);
      }
    }
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point first = Clock::now();
  Clock::duration least = Clock::duration::max();
  const auto goes_on = [&](int tried) {
    return tried < kLeastTries || (tried < kMostTries && Clock::now() - first < kPatience);
  };
  for (int tried = 0; goes_on(tried); ++tried) {
    const Clock::time_point begin = Clock::now();
    solver_.advance(before, patch.coefficients(), after);
    least = std::min(least, Clock::now() - begin);
  }
  return std::chrono::duration<double>(least).count();
}

}  // namespace kumiko::amr
