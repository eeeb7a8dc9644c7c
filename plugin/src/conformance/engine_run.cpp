#include "conformance/engine_run.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "conformance/patch_step.hpp"

namespace kumiko::plugin::conformance {

using amr::kPatchSize;

EngineRun::EngineRun(const Subject& subject, Flow problem, int n, int steps)
    : problem_(std::move(problem)), n_(n), backend_(amr::make_backend("serial", 1)) {
  problem_.field_components = subject.run_components();
  amr::SimulationOptions options;
  options.points_x = n;
  options.points_y = n;
  options.levels = 1;
  options.steps = steps;
  options.refinement.check_finite = 0;
  simulation_ = std::make_unique<amr::Simulation>(problem_, *subject.solver, *backend_, options);
}

amr::ErrorNorms EngineRun::errors() const {
  return amr::error_norms(simulation_->hierarchy(), problem_, simulation_->time(), *backend_)
      .value();
}

std::vector<double> EngineRun::field() const {
  std::vector<double> values(static_cast<std::size_t>(n_ * n_));
  const amr::Level& level = simulation_->hierarchy().level(0);
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    const amr::Patch& patch = level.patch(slot);
    for (int j = 0; j < kPatchSize; ++j) {
      const int row = patch.id().j * kPatchSize + j;
      const double* const from = &patch.now()(0, j);
      std::copy_n(from, kPatchSize,
                  &values[static_cast<std::size_t>(row * n_ + patch.id().i * kPatchSize)]);
    }
  }
  return values;
}

double step_for(const Subject& subject, const Flow& problem, int n, double target) {
  double smallest = std::numeric_limits<double>::infinity();
  for (int first_j = 0; first_j < n; first_j += kPatchSize) {
    for (int first_i = 0; first_i < n; first_i += kPatchSize) {
      const Place place(subject, first_i, first_j, 1.0 / n);
      PatchStep step(subject, place, subject.run_components());
      const double offset = subject.is_cell_centred() ? 0.5 : 0.0;
      step.fill([&](int i, int j, int component) {
        return problem.field((first_i + i + offset) / n, (first_j + j + offset) / n, component);
      });
      smallest = std::min(smallest, step.prepare_for(problem, target));
    }
  }
  return smallest;
}

}  // namespace kumiko::plugin::conformance
