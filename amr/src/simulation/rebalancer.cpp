#include "simulation/rebalancer.hpp"

#include <vector>

#include "sharing/migration.hpp"

namespace kumiko::amr {

Rebalancer::Rebalancer(Run& run)
    : run_(run),
      balance_(run.options.partition, run.communicator.size()),
      costs_(run.hierarchy, run.solver, run.stepper, run.options.subcycling) {}

bool Rebalancer::is_on() const {
  return run_.stepper.shadows().is_shared() && run_.options.balance;
}

void Rebalancer::note_costs() {
  if (is_on() && run_.steps.step() > 0) {
    balance_.note(collect(run_.communicator, run_.observer().take_costs()));
  }
}

void Rebalancer::rebalance() {
  if (is_on()) {
    const auto ranks = balance_.decide(run_.hierarchy.mesh(), costs_.weighted(run_.steps.time()));
    if (ranks) move(*ranks);
  }
  run_.exchange.follow_mesh();
  run_.stepper.shadows().follow_mesh();
}

/// The new rank of a patch computes its coefficients anew, and keeps its motion.
void Rebalancer::move(const ByPatch<std::int32_t>& ranks) {
  Hierarchy& hierarchy = run_.hierarchy;
  TimeStepper& stepper = run_.stepper;
  for (int level = 0; level < hierarchy.used_levels(); ++level) {
    const auto before = hierarchy.mesh().ranks(level);
    const auto& after = ranks[static_cast<std::size_t>(level)];
    for (std::size_t slot = 0; slot < after.size(); ++slot) {
      if (before[slot] != after[slot]) ++moved_;
    }
  }
  const auto came = move_patches(hierarchy, stepper.shadows().mailbox(), ranks, stepper.motion());
  for (int level = 0; level < hierarchy.used_levels(); ++level) {
    const std::vector<std::size_t>& slots = came[static_cast<std::size_t>(level)];
    std::vector<PatchMotion> motion;
    for (const std::size_t slot : slots) motion.push_back(stepper.motion().at(level, slot));
    stepper.prepare(level, slots, run_.steps.time(), [](std::size_t) {});
    for (std::size_t at = 0; at < slots.size(); ++at) {
      stepper.motion().at(level, slots[at]) = motion[at];
    }
  }
}

}  // namespace kumiko::amr
