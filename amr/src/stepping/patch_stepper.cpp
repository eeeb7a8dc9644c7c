#include "stepping/patch_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/finite_check.hpp>
#include <kumiko/amr/option_field.hpp>

#include "problem/checked_case.hpp"
#include "transfer/reflux.hpp"

namespace kumiko::amr {

namespace {

/// Base steps that a run may have.
constexpr auto kMostSteps = static_cast<std::int64_t>(kMostCount);

DeclarationError stays_too_large(const Solver& solver, const PatchId& id, double time,
                                 const char* member, double cfl, double divisor, double of_less) {
  return DeclarationError(
      fmt::format("solver '{}' gives {} CFL number {:.8g} at t = {:g}, and {:.8g} with a step {:g} "
                  "times shorter, "
                  "but takes up to {:g}; {} must return a number that falls with the step",
                  solver.traits().name, to_string(id), cfl, time, of_less, divisor,
                  solver.traits().cfl_limit, member));
}

void require_not_negative(const Solver& solver, const PatchId& id, double time, const char* member,
                          double cfl) {
  if (!(cfl < 0.0)) return;
  throw DeclarationError(fmt::format(
      "{} of solver '{}' gives {} the CFL number {:g} at t = {:g}; it must be 0 or more, and grow "
      "with the speed",
      member, solver.traits().name, to_string(id), cfl, time));
}

}  // namespace

PatchStepper::PatchStepper(Hierarchy& hierarchy, const Case& problem, const Solver& solver,
                           const GhostExchange& exchange, const SimulationOptions& options)
    : hierarchy_(hierarchy),
      case_(problem),
      solver_(solver),
      exchange_(exchange),
      transfer_(transfer_operators(solver.traits().centring)),
      options_(options),
      rescales_(solver.traits().rescales && !problem.steady_velocity() &&
                problem.velocity_factor(problem.unit_factor_time()).has_value()),
      rules_(
          hierarchy.plan(), hierarchy.shape().flux_form,
          StepClock(options.steps > 0 ? Stretch::whole_run(end_time(), options.steps) : Stretch(),
                    options.subcycling),
          options.subcycling && options.time_interpolation != TimeInterpolation::kCharacteristic),
      watch_(hierarchy) {}

void PatchStepper::follow_mesh() {
  motion_.follow(hierarchy_.mesh());
  velocity_cfl_.follow(hierarchy_.mesh());
}

double PatchStepper::prepare(int level, std::size_t slot, State state, double time) const {
  Patch& patch = hierarchy_.level(level).patch(slot);
  return keep_cfl(level, slot, state, time,
                  cfl_of(patch.id(), time, rules_.clock().dt(0), patch.coefficients()));
}

double PatchStepper::prepare_again(int level, std::size_t slot, State state, double time) const {
  if (!rescales_) return prepare(level, slot, state, time);
  Patch& patch = hierarchy_.level(level).patch(slot);
  return keep_cfl(level, slot, state, time, rescaled_cfl(patch, time));
}

/// Keeps the CFL number of a patch's next step. \return it
double PatchStepper::keep_cfl(int level, std::size_t slot, State state, double time,
                              double velocity_cfl) const {
  const Patch& patch = std::as_const(hierarchy_).level(level).patch(slot);
  velocity_cfl_.at(level, slot) = velocity_cfl;
  return motion_.at(level, slot).cfl =
             larger_cfl(velocity_cfl, patch, state, patch.coefficients(), time);
}

double PatchStepper::cfl_now(int level, std::size_t slot, double time) const {
  if (!solver_.traits().nonlinear) return motion_.at(level, slot).cfl;
  const Patch& patch = std::as_const(hierarchy_).level(level).patch(slot);
  if (case_.steady_velocity()) {
    return larger_cfl(velocity_cfl_.at(level, slot), patch, State::kNow, patch.coefficients(),
                      time);
  }
  // The latest step's numbers stay as they are, because a saved run holds them.
  std::vector<double> scratch(hierarchy_.shape().coefficients);
  const double velocity_cfl = cfl_of(patch.id(), time, rules_.clock().dt(0), scratch);
  return larger_cfl(velocity_cfl, patch, State::kNow, scratch, time);
}

/// The CFL number of a step that begins with that state.
double PatchStepper::larger_cfl(double velocity_cfl, const Patch& patch, State state,
                                std::span<const double> coefficients, double time) const {
  if (!solver_.traits().nonlinear) return velocity_cfl;
  return std::max(velocity_cfl, state_cfl(patch, state, coefficients, time));
}

double PatchStepper::weight(const PatchId& id, double time) const {
  const PatchCoordinates coordinates(hierarchy_.geometry(), id);
  const double spacing = hierarchy_.geometry().spacing(id.level);
  const double weight = solver_.weight(
      case_, {coordinates.points(), spacing, id.i * kPatchSize, id.j * kPatchSize}, time);
  if (std::isfinite(weight) && weight > 0.0) return weight;
  throw DeclarationError(
      fmt::format("solver '{}' gives {} the weight {:g} at t = {:g}; it must be finite and above 0",
                  solver_.traits().name, to_string(id), weight, time));
}

double PatchStepper::state_cfl(const Patch& patch, State state,
                               std::span<const double> coefficients, double time) const {
  const double cfl = solver_.state_cfl(patch.state(state), coefficients);
  require_not_negative(solver_, patch.id(), time, "state_cfl()", cfl);
  if (std::isfinite(cfl)) return cfl;
  throw BrokenValueError(fmt::format(
      "state_cfl() of solver '{}' gives {} a CFL number that is not finite at t = {:g}: the state "
      "there is not one that it can advance, or state_cfl() is wrong",
      solver_.traits().name, to_string(patch.id()), time));
}

double PatchStepper::cfl_of(const PatchId& id, double time, double base_dt,
                            std::span<double> coefficients) const {
  const PatchCoordinates coordinates(hierarchy_.geometry(), id);
  const double spacing = hierarchy_.geometry().spacing(id.level);
  const CheckedCase problem(case_);
  const double cfl = solver_.prepare(
      problem, {coordinates.points(), spacing, id.i * kPatchSize, id.j * kPatchSize}, time,
      step_of_level(id.level, base_dt), coefficients);
  return sound_cfl(id, time, "prepare()", cfl, problem.is_sound());
}

double PatchStepper::rescaled_cfl(Patch& patch, double time) const {
  const CheckedCase problem(case_);
  const double cfl = solver_.rescale(
      problem, time, step_of_level(patch.id().level, rules_.clock().dt(0)), patch.coefficients());
  return sound_cfl(patch.id(), time, "rescale()", cfl, problem.is_sound());
}

double PatchStepper::step_of_level(int level, double base_dt) const {
  return base_dt / static_cast<double>(rules_.clock().substeps(level));
}

/// A patch's CFL number, if it is one. Throws BrokenValueError or DeclarationError if not.
/// \param member  of the solver, which has given it
double PatchStepper::sound_cfl(const PatchId& id, double time, const char* member, double cfl,
                               bool case_is_sound) const {
  if (!case_is_sound) {
    throw BrokenValueError(
        fmt::format("the case gives {} a velocity that is not a finite number at t = {:g}; correct "
                    "velocity() or stream_function(), which must write finite values at all points",
                    to_string(id), time));
  }
  require_not_negative(solver_, id, time, member, cfl);
  if (std::isfinite(cfl)) return cfl;
  const std::string number = std::isnan(cfl) ? "that is not a number" : "that is infinite";
  throw DeclarationError(
      fmt::format("solver '{}' gives {} a CFL number {} at t = {:g}, though the velocity there is "
                  "finite; its {} must return one that is 0 or more, unless the velocity or the "
                  "step is beyond all measure (see `end_time`)",
                  solver_.traits().name, to_string(id), number, time, member));
}

CflError PatchStepper::cfl_error(const Patch& patch, double time, double cfl) const {
  const PatchId& id = patch.id();
  std::int64_t enough = smallest_steps(id, time);
  if (solver_.traits().nonlinear) {
    require_falling_state_cfl(patch, time);
    enough = std::max(enough, in_proportion(options_.steps, cfl));
  }
  const std::string remedy =
      enough > kMostSteps
          ? fmt::format(
                "some {:.2g} `steps` would be needed, more than a run may have, {}; lower "
                "`end_time`",
                static_cast<double>(enough), kMostSteps)
          : fmt::format(
                "`steps` must be {} at least, by an estimate: other patches and later times "
                "may need more",
                enough);
  return {fmt::format("{} has CFL number {:.8g} at t = {:g}, but solver '{}' takes up to {:g}; {}",
                      to_string(id), cfl, time, solver_.traits().name, solver_.traits().cfl_limit,
                      remedy),
          enough};
}

/// The steps with which a CFL number that is proportional to the step is served.
std::int64_t PatchStepper::in_proportion(std::int64_t steps, double cfl) const {
  constexpr double kMost = 1e18;  // a state that explodes asks for more than an integer holds
  // Those that are past do not change.
  const int past = rules_.clock().stretch().first();
  const double wanted =
      past + std::ceil(static_cast<double>(steps - past) * (cfl / solver_.traits().cfl_limit));
  return static_cast<std::int64_t>(std::min(wanted, kMost));
}

/// The base step when the run has so many steps: those that are past do not change.
double PatchStepper::dt_of(std::int64_t steps) const {
  const Stretch& stretch = rules_.clock().stretch();
  return (end_time() - stretch.begin()) / static_cast<double>(steps - stretch.first());
}

/// Found by bisection, since a departure scheme need not be linear in the step. Where even
/// kMostSteps are too few, in proportion to them.
std::int64_t PatchStepper::smallest_steps(const PatchId& id, double time) const {
  std::vector<double> scratch(hierarchy_.shape().coefficients);
  const auto cfl_with = [&](std::int64_t steps) { return cfl_of(id, time, dt_of(steps), scratch); };
  const auto enough = [&](std::int64_t steps) { return serves(cfl_with(steps)); };
  std::int64_t refused = options_.steps;
  const double cfl = cfl_with(refused);
  if (serves(cfl)) return refused;  // it was the state that asked for more
  std::int64_t accepted = 2 * refused;
  while (!enough(accepted)) {
    if (accepted > kMostSteps) {
      const double least = cfl_with(accepted);
      const double divisor = static_cast<double>(accepted) / options_.steps;
      if (least * std::sqrt(divisor) < cfl) return in_proportion(accepted, least);
      throw stays_too_large(solver_, id, time, "prepare()", cfl, divisor, least);
    }
    refused = accepted;
    accepted *= 2;
  }
  while (accepted - refused > 1) {
    const std::int64_t middle = refused + (accepted - refused) / 2;
    (enough(middle) ? accepted : refused) = middle;
  }
  return accepted;
}

/// The state may be another than the one whose number was too large: the patch may have taken more
/// steps before the run ended. For any state it is proportional to the step.
void PatchStepper::require_falling_state_cfl(const Patch& patch, double time) const {
  constexpr double kDivisor = 16.0;
  std::vector<double> scratch(hierarchy_.shape().coefficients);
  const auto cfl_with = [&](double base_dt) {
    cfl_of(patch.id(), time, base_dt, scratch);
    return solver_.state_cfl(patch.state(State::kNow), scratch);
  };
  const double cfl = cfl_with(rules_.clock().dt(0));
  const double less = cfl_with(rules_.clock().dt(0) / kDivisor);
  if (!(less > 0.0 && less * std::sqrt(kDivisor) > cfl)) return;
  throw stays_too_large(solver_, patch.id(), time, "state_cfl()", cfl, kDivisor, less);
}

void PatchStepper::fill_ghosts(const LevelStep& step, std::size_t slot) const {
  const bool second = step.second_half();
  exchange_.fill(step.level, slot, step.from(),
                 {.time = step.time,
                  .since_coarse = second ? step.dt : 0.0,
                  .fraction = second ? 0.5 : 0.0,
                  .coarse = step.coarse_from()});
  const bool begins_base_step = (step.number & (rules_.clock().substeps(step.level) - 1)) == 0;
  if (begins_base_step) watch_.take(step, slot);
}

double PatchStepper::begin_advance(const LevelStep& step, std::size_t slot) const {
  if (!case_.steady_velocity()) return prepare_again(step.level, slot, step.from(), step.time);
  if (!solver_.traits().nonlinear) return 0.0;
  const Patch& patch = std::as_const(hierarchy_).level(step.level).patch(slot);
  return motion_.at(step.level, slot).cfl =
             larger_cfl(velocity_cfl_.at(step.level, slot), patch, step.from(),
                        patch.coefficients(), step.time);
}

PatchAdvance PatchStepper::hand_over(const LevelStep& step, std::size_t slot) const {
  Patch& patch = hierarchy_.level(step.level).patch(slot);
  PatchAdvance one{patch.state(step.from()), std::as_const(patch).coefficients(),
                   patch.state(step.to())};
  if (hierarchy_.shape().flux_form) one.fluxes = patch.fluxes();
  return one;
}

void PatchStepper::end_advance(const LevelStep& step, std::size_t slot) const {
  PatchMotion& motion = motion_.at(step.level, slot);
  motion.travelled += motion.cfl;
  if (!hierarchy_.shape().flux_form || step.level == 0) return;
  accumulate_fluxes(hierarchy_.level(step.level).patch(slot), step.second_half() ? 1 : 0);
}

std::optional<InnerPoint> PatchStepper::inadmissible_point(int level, std::size_t slot,
                                                           State state) const {
  if (!solver_.traits().limits_states) return std::nullopt;
  return solver_.inadmissible_point(
      std::as_const(hierarchy_).level(level).patch(slot).state(state));
}

std::optional<InnerPoint> PatchStepper::inadmissible_after(const Piece& piece) const {
  if (!solver_.traits().limits_states) return std::nullopt;
  const bool is_last =
      piece.kind == PieceKind::kFinish || !rules_.finishes(piece.step.level, piece.slot);
  if (!is_last) return std::nullopt;
  return inadmissible_point(piece.step.level, piece.slot, piece.step.to());
}

void PatchStepper::fill_next_ghosts(const LevelStep& step, std::size_t slot) const {
  const bool second = step.second_half();
  exchange_.fill(step.level, slot, step.to(),
                 {.time = step.time + step.dt,
                  .since_coarse = second ? 2.0 * step.dt : step.dt,
                  .fraction = second ? 1.0 : 0.5,
                  .coarse = step.coarse_from()});
}

void PatchStepper::finish(const LevelStep& step, std::size_t slot) const {
  Patch& patch = hierarchy_.level(step.level).patch(slot);
  const Level& finer = std::as_const(hierarchy_).level(step.level + 1);
  const State fine = state_at(step.finer_end());
  const auto& children = hierarchy_.plan().children(step.level, slot);
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    const std::int32_t child = children[static_cast<std::size_t>(quadrant)];
    if (child < 0) continue;
    const Patch& source = finer.read(ReadState::kFine, static_cast<std::size_t>(child));
    transfer_.restrict_onto(source.state(fine), quadrant, patch.state(step.to()));
  }
  if (hierarchy_.shape().flux_form) reflux(hierarchy_, step.level, slot, patch.state(step.to()));
}

}  // namespace kumiko::amr
