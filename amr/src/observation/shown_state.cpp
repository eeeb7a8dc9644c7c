#include "observation/shown_state.hpp"

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>

namespace kumiko::amr {

namespace {

ObservedPatch shown(const Hierarchy& hierarchy, int index, std::size_t slot) {
  const Patch& patch = hierarchy.level(index).patch(slot);
  const Geometry& geometry = hierarchy.geometry();
  ObservedPatch shown{.id = patch.id(),
                      .x = geometry.coordinate(index, kPatchSize * patch.id().i),
                      .y = geometry.coordinate(index, kPatchSize * patch.id().j),
                      .spacing = geometry.spacing(index),
                      .state = patch.now()};
  const auto& children = hierarchy.plan().children(index, slot);
  for (std::size_t quadrant = 0; quadrant < shown.covered.size(); ++quadrant) {
    shown.covered[quadrant] = children[quadrant] >= 0;
  }
  return shown;
}

std::vector<ObservedPatch> own_patches(const Hierarchy& hierarchy) {
  std::vector<ObservedPatch> patches;
  for (int index = 0; index < hierarchy.used_levels(); ++index) {
    for (const std::uint32_t slot : hierarchy.level(index).own()) {
      patches.push_back(shown(hierarchy, index, slot));
    }
  }
  return patches;
}

}  // namespace

void show_state(const Case& problem, const Hierarchy& hierarchy, int step, double time, double dt,
                Communicator& communicator) {
  std::string failure;
  const auto note = [&](const char* what) {
    failure = fmt::format("{} (in observe(), after base step {}, t = {:g})", what, step, time);
  };
  try {
    const std::vector<ObservedPatch> patches = own_patches(hierarchy);
    problem.observe({step, time, dt, communicator.rank(), communicator.size(), patches});
  } catch (const std::exception& error) {
    note(error.what());
  } catch (...) {
    note("an exception that is not a std::exception");
  }
  for (const std::string& first : gather(communicator, failure)) {
    if (!first.empty()) throw std::runtime_error(first);
  }
}

}  // namespace kumiko::amr
