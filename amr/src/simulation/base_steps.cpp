#include "simulation/base_steps.hpp"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

namespace kumiko::amr {

BaseSteps::BaseSteps(const Case& problem, const Solver& solver, const SimulationOptions& options,
                     Hierarchy& hierarchy, Backend& backend, TimeStepper& stepper)
    : solver_(solver),
      hierarchy_(hierarchy),
      backend_(backend),
      stepper_(stepper),
      may_grow_(!problem.steady_velocity() || solver.traits().nonlinear),
      ends_at_exact_times_(options.steps == 0 && !options.exact_times.empty()),
      control_(options.end_time, options.steps, options.cfl, may_grow_, options.exact_times),
      keeps_((options.keep_state || control_.chooses()) &&
             (may_grow_ || solver.traits().limits_states)) {
  stepper_.begin(control_.stretch());
}

void BaseSteps::begin(double time) {
  control_.begin(time);
  stepper_.begin(control_.stretch());
}

void BaseSteps::resume(const SavedRun& saved) {
  step_ = saved.step;
  control_.resume(saved.step, saved.time, saved.dt, saved.choice);
  if (saved.is_changed) control_.ask();
  stepper_.begin(control_.stretch());
}

/// As Simulation::reach(), before a base step that has the latest choice's length.
double BaseSteps::reach(int step) const {
  return stepper_.clock().time(step) + (ends_at_exact_times_ ? control_.closest() : 0.5 * dt());
}

int BaseSteps::until(double time, int most) const {
  most = std::min(most, control_.left_to_choice(step_));
  int count = 1;
  while (count < most && reach(step_ + count) < time) ++count;
  return count;
}

void BaseSteps::choose(std::optional<double> largest_cfl) {
  choose_up_to(std::numeric_limits<double>::infinity(), {}, largest_cfl);
}

std::optional<StepChoice> BaseSteps::saved_choice() const {
  const Stretch& stretch = control_.stretch();
  const bool is_whole_run = stretch.first() == 0 && stretch.begin() == 0.0;
  if (!control_.chooses() && is_whole_run) return std::nullopt;
  return control_.choice();
}

void BaseSteps::keep() {
  is_restored_ = false;
  if (keeps_) kept_.keep(hierarchy_, backend_, stepper_.motion());
}

/// Goes back after the failure that advance() handles. Returns if a step was refused and a shorter
/// one is chosen; throws the failure else.
void BaseSteps::go_back() {
  try {
    throw;
  } catch (const StepRefused& refused) {
    shorten(refused);
  } catch (...) {
    if (keeps_ && stepper_.has_failed_together()) {
      kept_.restore(hierarchy_, backend_, stepper_.motion());
      is_restored_ = true;
    }
    throw;
  }
}

/// Takes the steps before the refused one again, which nobody refuses, and chooses a shorter one.
void BaseSteps::shorten(const StepRefused& refused) {
  kept_.restore(hierarchy_, backend_, stepper_.motion());
  const int before = refused.base_step() - step_;
  if (before > 0) stepper_.advance(step_, before);
  step_ += before;
  try {
    choose_up_to(0.5 * dt(), refused.what(), std::nullopt);
  } catch (const NoStepServes&) {
    is_restored_ = true;
    throw;
  }
}

/// Chooses as choose() does.
/// \param most     length that the step may have
/// \param refused  why a longer step was refused; empty where none was
/// \param largest_cfl  as choose()
void BaseSteps::choose_up_to(double most, std::string refused, std::optional<double> largest_cfl) {
  const Stretch before = control_.stretch();
  double cfl = largest_cfl ? *largest_cfl : stepper_.largest_cfl(time());
  try {
    control_.choose(step_, cfl / dt(), most);
    if (control_.stretch() == before) return;
    while (!stepper_.serves(cfl = stepper_.set_stretch(control_.stretch(), time()))) {
      refused = fmt::format(
          "a patch has CFL number {:.8g} with a base step of {:.6g}, but solver "
          "'{}' takes up to {:g}; {} must return a number that falls with the step, unless the "
          "case's velocity is beyond all measure",
          cfl, dt(), solver_.traits().name, solver_.traits().cfl_limit,
          solver_.traits().nonlinear ? "prepare() and state_cfl()" : "prepare()");
      control_.shorten(cfl);
    }
  } catch (const StepControl::StepTooShort& failed) {
    if (failed.attempts == 0 && refused.empty()) {
      throw NoStepServes(fmt::format(
          "before base step {}, t = {:g}, the largest CFL number is {:.6g} with a base step of "
          "{:.6g}: `cfl` asks for steps of {:.3g}, but a run takes none below {:.3g}, 1e-12 of its "
          "length; raise `cfl`, lower `end_time`, or look at the case's velocity and at what the "
          "solver's prepare() returns",
          failed.step, time(), cfl, dt(), failed.dt, failed.shortest));
    }
    throw NoStepServes(fmt::format(
        "no base step is short enough: before base step {}, t = {:g}, it came to {:.3g} after {} "
        "attempt{}; {}; no shorter step helps there",
        failed.step, time(), failed.dt, failed.attempts, failed.attempts == 1 ? "" : "s",
        refused.empty()
            ? fmt::format("the largest CFL number is {:.6g} with a base step of {:.6g}", cfl, dt())
            : refused));
  }
}

}  // namespace kumiko::amr
