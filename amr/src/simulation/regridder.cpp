#include "simulation/regridder.hpp"

#include <array>
#include <utility>

#include <kumiko/amr/memory_limit.hpp>

#include "observation/patch_error.hpp"
#include "refinement/magnitudes.hpp"
#include "transfer/sampling.hpp"

namespace kumiko::amr {

Regridder::Regridder(Run& run, Rebalancer& rebalancer)
    : run_(run),
      rebalancer_(rebalancer),
      transfer_(transfer_operators(run.solver.traits().centring)) {}

void Regridder::begin(InitialField field) {
  initial_ = std::move(field);
  if (!initial_) {
    initial_ = [this](const PatchId& id, int component, std::span<double> values) {
      sample_case(id, component, values);
    };
  }
  run_.stepper.prepare(0, run_.slots(0), run_.steps.time(),
                       [this](std::size_t slot) { sample(0, slot); });
  begin_scales();
  make_plan();
  rebuild(Fill::kSample);
  initial_ = {};
}

void Regridder::begin_with_mesh(int levels, const std::function<void(int level)>& restore) {
  restore(0);
  begin_scales();
  for (int level = 1; level < levels; ++level) restore(level);
  make_plan();
  for (int level = 0; level < levels; ++level) {
    const std::vector<RegridHistory> new_patches(run_.hierarchy.level(level).size());
    plan_->resume(level, new_patches);
  }
  if (run_.steps.chooses()) run_.steps.choose();
  run_.regrids.resume(0, 0);
  rebalancer_.rebalance();
}

void Regridder::resume(const SavedRun& saved) {
  make_plan();
  plan_->resume(saved.unnested);
  for (int level = 0; level < saved.mesh.levels(); ++level) {
    plan_->resume(level, saved.level(level).histories);
  }
}

void Regridder::regrid(const std::optional<std::vector<double>>& magnitudes) {
  rebalancer_.note_costs();
  follow_scales(magnitudes);
  rebuild(Fill::kProlong);
}

void Regridder::make_plan() {
  const RefinementOptions& refinement = run_.options.refinement;
  plan_.emplace(run_.hierarchy, run_.backend, run_.communicator, refinement,
                run_.indicator_for(refinement));
}

void Regridder::rebuild(Fill fill) {
  BaseSteps& steps = run_.steps;
  plan_->begin(steps.step());
  const auto fill_ghosts = [this](int level, std::size_t slot) { run_.fill_ghosts(level, slot); };
  for (int level = 0; level + 1 < run_.hierarchy.max_levels(); ++level) {
    run_.stepper.shadows().refresh(level);
    std::vector<PatchId> wanted = plan_->children(level, steps.time(), fill_ghosts);
    check_memory(run_.hierarchy, level + 1, wanted, run_.options.refinement.memory_limit);
    const std::vector<std::size_t> came = run_.hierarchy.change(level + 1, std::move(wanted));
    plan_->note_arrivals(level + 1, came);
    run_.stepper.prepare(level + 1, came, steps.time(), [&](std::size_t slot) {
      fill == Fill::kSample ? sample(level + 1, slot) : prolong_into(level + 1, slot);
    });
  }
  if (steps.chooses()) steps.choose();
  // A refused regrid comes again, so it must leave counts and distances alone.
  plan_->end();
  run_.stepper.motion().for_each([](PatchMotion& motion) { motion.travelled = 0.0; });
  run_.regrids.note_regrid(steps.step());
  rebalancer_.rebalance();
}

/// Level 0 alone has patches. The points are its own and those of its ghosts, since what the sides
/// prescribe will come in.
void Regridder::begin_scales() {
  run_.fill_ghosts(0);
  run_.scales.begin(
      largest_magnitudes_with_ghosts(run_.hierarchy, run_.backend, run_.communicator));
}

void Regridder::follow_scales(const std::optional<std::vector<double>>& magnitudes) {
  if (!run_.has_scales()) return;
  run_.scales.follow(magnitudes
                         ? *magnitudes
                         : largest_magnitudes(run_.hierarchy, run_.backend, run_.communicator));
}

void Regridder::sample_case(const PatchId& id, int component, std::span<double> values) const {
  const auto initial = [&](Points points, std::span<double> result) {
    run_.problem.initial(points, component, result);
    return true;
  };
  sample_patch(run_.hierarchy.geometry(), id, initial, values);
}

void Regridder::sample(int level, std::size_t slot) {
  Patch& patch = run_.hierarchy.level(level).patch(slot);
  std::array<double, kPatchPoints> values;
  for (int component = 0; component < patch.now().components(); ++component) {
    in_patch("the initial field", patch.id(), run_.steps.time(),
             [&] { initial_(patch.id(), component, values); });
    patch.now().interior(component) =
        Eigen::Map<const FieldArray>(values.data(), kPatchSize, kPatchSize);
  }
}

void Regridder::prolong_into(int level, std::size_t slot) {
  Patch& patch = run_.hierarchy.level(level).patch(slot);
  const auto parent = static_cast<std::size_t>(run_.hierarchy.plan().parent(level, slot));
  const Patch& coarser = run_.hierarchy.level(level - 1).patch(parent);
  transfer_.prolong(coarser.now(), patch.id().quadrant(), patch.now());
}

}  // namespace kumiko::amr
