#include "stepping/time_stepper.hpp"

#include <algorithm>
#include <functional>

#include <fmt/core.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/cluster/errors.hpp>

#include "observation/patch_note.hpp"
#include "stepping/dataflow_schedule.hpp"
#include "stepping/level_schedule.hpp"

namespace kumiko::amr {

namespace {

bool steps_by_level(Schedule schedule, const Backend& backend) {
  if (schedule == Schedule::kDataflow && backend.runtime() == nullptr) {
    throw OptionError("schedule", "dataflow",
                      fmt::format("backend '{}' steps level by level; set it to level or auto, or "
                                  "choose backend 'threads'",
                                  backend.name()));
  }
  return schedule == Schedule::kLevel || backend.runtime() == nullptr;
}

}  // namespace

TimeStepper::TimeStepper(Hierarchy& hierarchy, const Case& problem, const Solver& solver,
                         Backend& backend, const GhostExchange& exchange,
                         const SimulationOptions& options, Communicator& communicator)
    : hierarchy_(hierarchy),
      backend_(backend),
      communicator_(communicator),
      patches_(hierarchy, problem, solver, exchange, options),
      shadows_(hierarchy, patches_.rules(), communicator,
               options.time_interpolation == TimeInterpolation::kQuadratic),
      observer_(backend, hierarchy.max_levels(), steps_by_level(options.schedule, backend),
                communicator),
      subcycling_(options.subcycling),
      chooses_(options.steps == 0),
      pieces_(patches_, observer_, failures_) {
  if (steps_by_level(options.schedule, backend)) {
    schedule_ = std::make_unique<LevelSchedule>(hierarchy, backend, pieces_, shadows_);
  } else {
    schedule_ =
        std::make_unique<DataflowSchedule>(hierarchy, backend, pieces_, shadows_, options.cache);
  }
}

void TimeStepper::prepare(int index, const std::vector<std::size_t>& slots, double time,
                          const std::function<void(std::size_t)>& fill) {
  Level& level = hierarchy_.level(index);
  const LevelStep step{.level = index, .base_step = PatchNote::kNoStep, .time = time};
  patches_.follow_mesh();
  if (slots.empty()) return end_on_failure();
  std::vector<char> chosen(level.size(), 0);
  for (const std::size_t slot : slots) chosen[slot] = 1;
  backend_.for_each(level, [&](std::size_t slot, int) {
    if (chosen[slot] == 0) return;
    try {
      fill(slot);  // may wait for a file
      const PatchNote note("the preparation", level.patch(slot).id(), step.base_step, time);
      const double cfl = patches_.prepare(index, slot, State::kNow, time);
      if (!patches_.serves(cfl) && !chooses_) {
        failures_.keep({.step = step, .slot = slot, .cfl = cfl});
      }
      if (const auto point = patches_.inadmissible_point(index, slot, State::kNow)) {
        failures_.keep({.step = step, .slot = slot, .point = point});
      }
    } catch (...) {
      failures_.keep({step, slot, PieceKind::kAdvance, std::current_exception()});
    }
  });
  end_on_failure();
}

void TimeStepper::begin(const Stretch& stretch) {
  patches_.set_clock(StepClock(stretch, subcycling_));
}

double TimeStepper::set_stretch(const Stretch& stretch, double time) {
  begin(stretch);
  return largest(time, [&](int level, std::size_t slot) {
    const PatchNote note("the preparation", hierarchy_.level(level).patch(slot).id(),
                         PatchNote::kNoStep, time);
    return patches_.prepare_again(level, slot, State::kNow, time);
  });
}

double TimeStepper::largest_cfl(double time) {
  return largest(time, [&](int level, std::size_t slot) { return cfl_now(level, slot, time); });
}

std::optional<double> TimeStepper::own_largest_cfl(double time) {
  const double largest =
      own_largest(time, [&](int level, std::size_t slot) { return cfl_now(level, slot, time); });
  if (failures_.take()) return std::nullopt;
  return largest;
}

double TimeStepper::cfl_now(int level, std::size_t slot, double time) const {
  const PatchNote note("the CFL number", hierarchy_.level(level).patch(slot).id(),
                       PatchNote::kNoStep, time);
  return patches_.cfl_now(level, slot, time);
}

/// The largest number of this rank's patches; in any order, since it is a maximum. What is thrown
/// becomes a failure.
template <class CflOf>
double TimeStepper::own_largest(double time, CflOf cfl_of) {
  double largest = 0.0;
  for (int index = 0; index < hierarchy_.used_levels(); ++index) {
    const Level& level = hierarchy_.level(index);
    std::vector<double> each(level.size(), 0.0);
    backend_.for_each(level, [&](std::size_t slot, int) {
      try {
        each[slot] = cfl_of(index, slot);
      } catch (...) {
        const LevelStep step{.level = index, .base_step = PatchNote::kNoStep, .time = time};
        failures_.keep({step, slot, PieceKind::kAdvance, std::current_exception()});
      }
    });
    for (const double cfl : each) largest = std::max(largest, cfl);
  }
  return largest;
}

template <class CflOf>
double TimeStepper::largest(double time, CflOf cfl_of) {
  double largest = own_largest(time, cfl_of);
  const OwnFailure failure = take_failure();
  Gathering all;
  all.add(failure.told());
  all.add<double>({{{}, 0, largest}});
  all.exchange(communicator_);
  failure.throw_first(communicator_, all.take<ToldFailure>());
  for (const PatchValue<double>& part : all.take<double>()) largest = std::max(largest, part.value);
  return largest;
}

std::vector<double> TimeStepper::advance(int first, int count, const OwnValues& own_values) {
  has_failed_together_ = false;
  const StepRules& rules = patches_.rules();
  const Window window{rules.clock(), first, count, hierarchy_.used_levels(),
                      rules.blends_in_time()};
  observer_.begin_window(window, hierarchy_, rules);
  schedule_->take(window);
  const OwnFailure failure = take_failure();
  Gathering all;
  all.add(failure.told());
  observer_.report_window(all);
  std::vector<PatchValue<double>> values;
  if (failure.told().empty()) {
    swap_states(window);
    if (own_values) {
      for (const double value : own_values()) {
        values.push_back({{}, static_cast<int>(values.size()), value});
      }
    }
  }
  all.add(values);
  all.exchange(communicator_);
  try {
    failure.throw_first(communicator_, all.take<ToldFailure>());
  } catch (const cluster::RankLost&) {
    throw;
  } catch (...) {
    has_failed_together_ = true;
    observer_.drop_window();
    throw;
  }
  observer_.end_window(window, schedule_->blocks(), all);
  std::vector<double> largest(values.size());
  for (std::size_t at = 0; at < values.size(); ++at) largest[at] = values[at].value;
  for (const PatchValue<double>& part : all.take<double>()) {
    double& of_all = largest[static_cast<std::size_t>(part.item)];
    of_all = std::max(of_all, part.value);
  }
  return largest;
}

/// Makes the last states of a window the patches' states `now`.
void TimeStepper::swap_states(const Window& window) {
  for (int index = 0; index < hierarchy_.max_levels(); ++index) {
    if (state_at(window.steps(index)) == State::kNow) continue;
    Level& level = hierarchy_.level(index);
    for (const std::uint32_t slot : level.own()) level.patch(slot).swap_states();
  }
}

/// The error of a failure without an exception.
void TimeStepper::throw_error(const Failure& failure, const Patch& patch) const {
  const LevelStep& step = failure.step;
  const bool is_in_step = step.base_step != PatchNote::kNoStep;
  if (failure.point) {
    const double time = is_in_step ? step.time + step.dt : step.time;
    const std::string error = fmt::format(
        "solver '{}' does not admit the state of {} at point ({}, {}){}, t = {:g}",
        patches_.solver_name(), to_string(patch.id()), failure.point->i, failure.point->j,
        is_in_step ? fmt::format(" after a step in base step {}", step.base_step)
                   : ", with which the run begins",
        time);
    if (chooses_ && is_in_step) throw StepRefused(error, step.base_step);
    throw InadmissibleState(is_in_step ? error + "; more `steps` may avoid it, or `cfl` instead"
                                       : error +
                                             "; correct the case's initial(), or what the "
                                             "solver does not admit");
  }
  if (!chooses_) throw patches_.cfl_error(patch, step.time, failure.cfl);
  throw StepRefused(
      fmt::format("{} has CFL number {:.8g} in base step {}, t = {:g}, but solver '{}' takes up to "
                  "{:g}",
                  to_string(patch.id()), failure.cfl, step.base_step, step.time,
                  patches_.solver_name(), patches_.cfl_limit()),
      step.base_step);
}

/// Takes this rank's first failure out, as an exception.
OwnFailure TimeStepper::take_failure() {
  std::optional<Failure> failure = failures_.take();
  if (!failure) return {communicator_, failure, {}};
  const Patch& patch = hierarchy_.level(failure->step.level).patch(failure->slot);
  if (!failure->what) {
    try {
      throw_error(*failure, patch);
    } catch (...) {
      failure->what = std::current_exception();
    }
  }
  return {communicator_, failure, patch.id()};
}

void TimeStepper::end_on_failure() {
  const OwnFailure failure = take_failure();
  failure.throw_first(communicator_, collect(communicator_, failure.told()));
}

}  // namespace kumiko::amr
