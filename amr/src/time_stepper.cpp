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
  Level& level = hierarchy_.level(index);
  cfl_.assign(level.size(), 0.0);
  for_slots(backend_, level, slots, [&](Patch& patch) {
    const auto slot = static_cast<std::size_t>(level.find(patch.id()));
    cfl_[slot] = cfl_of(patch.id(), time, dt_, patch.coefficients());
  });
  check_cfl(index, time);
}

double TimeStepper::cfl_of(const PatchId& id, double time, double base_dt,
                           std::span<double> coefficients) const {
  const PatchCoordinates coordinates(hierarchy_.geometry(), id);
  const double spacing = hierarchy_.geometry().spacing(id.level);
  const double cfl = solver_.prepare(case_, {coordinates.points(), spacing}, time,
                                     base_dt / static_cast<double>(1 << id.level), coefficients);
  if (std::isfinite(cfl)) return cfl;
  throw std::runtime_error(fmt::format("{} has a velocity that is not a finite number at t = {:g}",
                                       to_string(id), time));
}

void TimeStepper::check_cfl(int index, double time) const {
  const auto largest = std::max_element(cfl_.begin(), cfl_.end());
  const double limit = solver_.traits().cfl_limit;
  if (largest == cfl_.end() || *largest <= limit) return;
  const auto slot = static_cast<std::size_t>(largest - cfl_.begin());
  const PatchId& id = hierarchy_.level(index).patch(slot).id();
  const std::int64_t enough = smallest_steps(id, time);
  throw CflError(
      fmt::format("{} has CFL number {:.4g} at t = {:g}, but the ghosts of solver '{}' serve up to "
                  "{:g}; the smallest time.steps that would do is {}",
                  to_string(id), *largest, time, solver_.traits().name, limit, enough),
      enough);
}

/// By bisection, since a departure scheme need not be linear in the step.
std::int64_t TimeStepper::smallest_steps(const PatchId& id, double time) const {
  std::vector<double> scratch(solver_.coefficients());
  const auto enough = [&](std::int64_t steps) {
    const double dt = case_.end_time() / static_cast<double>(steps);
    return cfl_of(id, time, dt, scratch) <= solver_.traits().cfl_limit;
  };
  std::int64_t refused = options_.steps;
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
  cfl_.assign(level.size(), 0.0);
  // Filling a patch's ghosts writes that patch alone and reads interiors, which this phase leaves
  // as they are: filling and advancing need no barrier between them.
  backend_.for_each(level, [&](std::size_t slot, int worker) {
    Patch& patch = level.patch(slot);
    if (!steady) cfl_[slot] = cfl_of(patch.id(), time, dt_, patch.coefficients());
    exchange_.fill(index, slot, State::kNow, ghosts);
    solver_.advance(patch.now(), std::as_const(patch).coefficients(), patch.next());
    step_updates_[static_cast<std::size_t>(worker)].count += kPatchPoints;
  });
  check_cfl(index, time);
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
