#include "time_stepper.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "for_slots.hpp"
#include "transfer.hpp"

namespace kumiko::amr {

TimeStepper::TimeStepper(Hierarchy& hierarchy, const Case& problem, const Solver& solver,
                         Backend& backend, const GhostExchange& exchange,
                         const SimulationOptions& options)
    : hierarchy_(hierarchy),
      case_(problem),
      solver_(solver),
      backend_(backend),
      exchange_(exchange),
      options_(options),
      dt_(problem.end_time() / options.steps),
      step_updates_(static_cast<std::size_t>(backend.workers())) {
  counters_.updates_per_level.resize(static_cast<std::size_t>(hierarchy.max_levels()));
  counters_.updates_per_worker.resize(static_cast<std::size_t>(backend.workers()));
}

void TimeStepper::prepare(int index, const std::vector<std::size_t>& slots, double time) {
  for_slots(backend_, hierarchy_.level(index), slots,
            [&](Patch& patch) { prepare_patch(patch, time); });
}

void TimeStepper::prepare_patch(Patch& patch, double time) const {
  const PatchCoordinates coordinates(hierarchy_.geometry(), patch.id());
  const double spacing = hierarchy_.geometry().spacing(patch.id().level);
  const double cfl = solver_.prepare(case_, {coordinates.points(), spacing}, time,
                                     level_dt(patch.id().level), patch.coefficients());
  const double limit = solver_.traits().cfl_limit;
  if (cfl <= limit) return;
  if (!std::isfinite(cfl)) {
    throw std::runtime_error(fmt::format("{} has a velocity that is not a number at t = {:g}",
                                         to_string(patch.id()), time));
  }
  const auto needed = static_cast<std::int64_t>(std::ceil(options_.steps * (cfl / limit)));
  throw CflError(
      fmt::format("{} has CFL number {:.4g} at t = {:g}, but the ghosts of solver '{}' serve up to "
                  "{:g}; the smallest time.steps that would do is {}",
                  to_string(patch.id()), cfl, time, solver_.traits().name, limit, needed),
      needed);
}

void TimeStepper::base_step(double time) {
  step_level(0, time, 0);
  close_base_step();
}

void TimeStepper::step_level(int index, double time, int substep) {
  const double dt = level_dt(index);
  const bool refined = index + 1 < hierarchy_.max_levels() && !hierarchy_.level(index + 1).empty();
  advance_level(index, time, {time, substep * dt, 0.5 * substep});
  if (refined) {
    if (options_.time_interpolation == TimeInterpolation::kLinear) {
      fill_next_ghosts(index, {time + dt, (substep + 1) * dt, 0.5 * (substep + 1)});
    }
    step_level(index + 1, time, 0);
    step_level(index + 1, time + 0.5 * dt, 1);
    restrict_level(index + 1);
  }
  Level& level = hierarchy_.level(index);
  for (std::size_t slot = 0; slot < level.size(); ++slot) level.patch(slot).swap_states();
}

void TimeStepper::advance_level(int index, double time, const GhostTime& ghosts) {
  Level& level = hierarchy_.level(index);
  const bool steady = case_.steady_velocity();
  // Filling a patch's ghosts writes that patch alone and reads interiors, which this phase leaves
  // as they are: filling and advancing need no barrier between them.
  backend_.for_each(level, [&](std::size_t slot, int worker) {
    Patch& patch = level.patch(slot);
    if (!steady) prepare_patch(patch, time);
    exchange_.fill(index, slot, State::kNow, ghosts);
    solver_.advance(patch.now(), std::as_const(patch).coefficients(), patch.next());
    step_updates_[static_cast<std::size_t>(worker)].count += kPatchPoints;
  });
  counters_.updates_per_level[static_cast<std::size_t>(index)] += level.size() * kPatchPoints;
}

void TimeStepper::fill_next_ghosts(int index, const GhostTime& ghosts) {
  backend_.for_each(hierarchy_.level(index), [&](std::size_t slot, int) {
    exchange_.fill(index, slot, State::kNext, ghosts);
  });
}

void TimeStepper::restrict_level(int fine_index) {
  Level& coarse = hierarchy_.level(fine_index - 1);
  const Level& fine = hierarchy_.level(fine_index);
  backend_.for_each(coarse, [&](std::size_t slot, int) {
    Patch& patch = coarse.patch(slot);
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      const std::int32_t child = patch.children[static_cast<std::size_t>(quadrant)];
      if (child < 0) continue;
      restrict_onto(fine.patch(static_cast<std::size_t>(child)).now(), quadrant, patch.next());
    }
  });
}

void TimeStepper::close_base_step() {
  std::uint64_t largest = 0;
  for (std::size_t worker = 0; worker < step_updates_.size(); ++worker) {
    largest = std::max(largest, step_updates_[worker].count);
    counters_.updates_per_worker[worker] += step_updates_[worker].count;
    step_updates_[worker].count = 0;
  }
  counters_.sum_of_largest += largest;
}

}  // namespace kumiko::amr
