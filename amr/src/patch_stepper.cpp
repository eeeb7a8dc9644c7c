#include "patch_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/finite_check.hpp>

#include "reflux.hpp"

namespace kumiko::amr {

PatchStepper::PatchStepper(Hierarchy& hierarchy, const Case& problem, const Solver& solver,
                           const GhostExchange& exchange, const SimulationOptions& options)
    : hierarchy_(hierarchy),
      case_(problem),
      solver_(solver),
      exchange_(exchange),
      transfer_(transfer_operators(solver.traits().centring)),
      options_(options),
      clock_(problem.end_time(), options.steps, options.subcycling) {}

double PatchStepper::prepare(Patch& patch, State state, double time) const {
  patch.velocity_cfl = cfl_of(patch.id(), time, clock_.dt(0), patch.coefficients());
  patch.cfl = patch.velocity_cfl;
  if (solver_.traits().nonlinear) patch.cfl = std::max(patch.cfl, state_cfl(patch, state, time));
  return patch.cfl;
}

double PatchStepper::state_cfl(const Patch& patch, State state, double time) const {
  const double cfl = solver_.state_cfl(patch.state(state), patch.coefficients());
  if (std::isfinite(cfl)) return cfl;
  throw BrokenValueError(fmt::format("{} has a speed that is not a finite number at t = {:g}",
                                     to_string(patch.id()), time));
}

double PatchStepper::cfl_of(const PatchId& id, double time, double base_dt,
                            std::span<double> coefficients) const {
  const PatchCoordinates coordinates(hierarchy_.geometry(), id);
  const double spacing = hierarchy_.geometry().spacing(id.level);
  const double cfl =
      solver_.prepare(case_, {coordinates.points(), spacing, id.i * kPatchSize, id.j * kPatchSize},
                      time, base_dt / static_cast<double>(clock_.substeps(id.level)), coefficients);
  if (std::isfinite(cfl)) return cfl;
  throw BrokenValueError(fmt::format("{} has a velocity that is not a finite number at t = {:g}",
                                     to_string(id), time));
}

CflError PatchStepper::cfl_error(const PatchId& id, double time, double cfl) const {
  std::int64_t enough = smallest_steps(id, time);
  if (solver_.traits().nonlinear) {
    constexpr double kMost = 1e18;  // a state that explodes asks for more than an integer holds
    const double wanted = std::ceil(options_.steps * (cfl / solver_.traits().cfl_limit));
    enough = std::max(enough, static_cast<std::int64_t>(std::min(wanted, kMost)));
  }
  return {fmt::format("{} has CFL number {:.8g} at t = {:g}, but solver '{}' takes up "
                      "to {:g}; time.steps must be {} at least",
                      to_string(id), cfl, time, solver_.traits().name, solver_.traits().cfl_limit,
                      enough),
          enough};
}

/// By bisection, since a departure scheme need not be linear in the step.
std::int64_t PatchStepper::smallest_steps(const PatchId& id, double time) const {
  std::vector<double> scratch(solver_.coefficients());
  const auto enough = [&](std::int64_t steps) {
    const double dt = case_.end_time() / static_cast<double>(steps);
    return serves(cfl_of(id, time, dt, scratch));
  };
  std::int64_t refused = options_.steps;
  if (enough(refused)) return refused;  // it was the state that asked for more
  std::int64_t accepted = 2 * refused;
  while (!enough(accepted)) {
    refused = accepted;
    accepted *= 2;
  }
  while (accepted - refused > 1) {
    const std::int64_t middle = refused + (accepted - refused) / 2;
    (enough(middle) ? accepted : refused) = middle;
  }
  return accepted;
}

void PatchStepper::fill_ghosts(const LevelStep& step, std::size_t slot) const {
  const bool second = step.second_half();
  exchange_.fill(step.level, slot, step.from(),
                 {step.time, second ? step.dt : 0.0, second ? 0.5 : 0.0, step.coarse_from()});
}

double PatchStepper::advance(const LevelStep& step, std::size_t slot) const {
  Patch& patch = hierarchy_.level(step.level).patch(slot);
  double cfl = 0.0;
  if (!case_.steady_velocity()) {
    cfl = prepare(patch, step.from(), step.time);
  } else if (solver_.traits().nonlinear) {
    patch.cfl = std::max(patch.velocity_cfl, state_cfl(patch, step.from(), step.time));
    cfl = patch.cfl;
  }
  if (!serves(cfl)) return cfl;
  const PatchView before = patch.state(step.from());
  const PatchView after = patch.state(step.to());
  if (!hierarchy_.shape().flux_form) {
    solver_.advance(before, std::as_const(patch).coefficients(), after);
    return cfl;
  }
  solver_.advance_with_fluxes(before, std::as_const(patch).coefficients(), after, patch.fluxes());
  if (step.level > 0) accumulate_fluxes(patch, step.second_half() ? 1 : 0);
  return cfl;
}

void PatchStepper::fill_next_ghosts(const LevelStep& step, std::size_t slot) const {
  const bool second = step.second_half();
  exchange_.fill(step.level, slot, step.to(),
                 {step.time + step.dt, second ? 2.0 * step.dt : step.dt, second ? 1.0 : 0.5,
                  step.coarse_from()});
}

bool PatchStepper::finishes(const Patch& patch) const {
  if (patch.has_children()) return true;
  if (!hierarchy_.shape().flux_form) return false;
  const Level& level = hierarchy_.level(patch.id().level);
  return std::any_of(patch.ghost_sources.begin(), patch.ghost_sources.end(),
                     [&](const GhostSource& source) {
                       return source.kind == GhostSource::Kind::kSibling &&
                              level.patch(static_cast<std::size_t>(source.slot)).has_children();
                     });
}

void PatchStepper::finish(const LevelStep& step, std::size_t slot) const {
  Patch& patch = hierarchy_.level(step.level).patch(slot);
  if (!finishes(patch)) return;
  const Level& finer = hierarchy_.level(step.level + 1);
  const State fine = state_at(step.finer_end());
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    const std::int32_t child = patch.children[static_cast<std::size_t>(quadrant)];
    if (child < 0) continue;
    transfer_.restrict_onto(finer.patch(static_cast<std::size_t>(child)).state(fine), quadrant,
                            patch.state(step.to()));
  }
  if (hierarchy_.shape().flux_form) reflux(hierarchy_, step.level, slot, patch.state(step.to()));
}

}  // namespace kumiko::amr
