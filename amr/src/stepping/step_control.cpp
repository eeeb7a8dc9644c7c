#include "stepping/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <kumiko/amr/require.hpp>

namespace kumiko::amr {

namespace {

/// Part of the run that the step has by which the first CFL numbers are measured: nothing but
/// speeds counts in a step so short.
constexpr double kTrial = 0x1p-20;
/// Part of the run that the first step is at most.
constexpr double kFirst = 0.25;
/// By how much the step grows from one choice to the next at most, and by how much CFL numbers are
/// expected to grow at most until the next choice.
constexpr double kMostGrowth = 1.25;
/// A stretch goes on while its step is at least this part of the one that is wanted.
constexpr double kLeastPart = 0.8;
/// Of the step with which a patch would stand at the CFL number asked for.
constexpr double kShortened = 0.9;
/// Of the whole run.
constexpr double kShortest = 1e-12;

}  // namespace

StepControl::StepControl(double end, int steps, double cfl, bool may_grow, Times exact)
    : end_(end),
      steps_(steps),
      cfl_(steps > 0 ? 0.0 : cfl),
      may_grow_(may_grow),
      exact_(std::move(exact)) {
  begin(0.0);
}

void StepControl::begin(double time) {
  const double left = end_ - time;
  require(time >= 0.0 && left > kShortest * end_,
          "the run is to begin at t = {:g}, and to end at t = {:g}; it must begin before its end",
          time, end_);
  if (chooses()) {
    choice_.stretch = Stretch(0, time, time + kTrial * left, 1);
  } else {
    choice_.stretch =
        time == 0.0 ? Stretch::whole_run(end_, steps_) : Stretch(0, time, end_, steps_);
  }
}

void StepControl::resume(int step, double time, double dt, const std::optional<StepChoice>& saved) {
  require(time >= 0.0 && time <= std::nextafter(end_, 2.0 * end_),
          "the saved run stands at t = {:g}, outside 0 to {:g}", time, end_);
  const Stretch of_all = choice_.stretch;
  if (saved) choice_ = *saved;
  if (chooses()) {
    is_asked_ = !saved || saved->cfl != cfl_ || stretch().end() != end_of_stretch(time);
    if (!saved) choice_.stretch = Stretch(step, time, time + dt, 1);
    // A run that has come to its end stays there.
    if (!is_over(step) && end_ - time <= kShortest * end_) {
      choice_.stretch = Stretch(step - 1, time - dt, end_, 1);
    }
    return;
  }
  const bool is_same = stretch().last() == steps_ && stretch().end() == end_;
  const bool goes_on = saved ? saved->cfl == 0.0 && is_same : of_all.time(step) == time;
  choice_.free_dt = choice_.rate = choice_.cfl = 0.0;
  if (goes_on) return;
  require(steps_ > step && end_ - time > kShortest * end_,
          "the saved run stands at base step {}, t = {:g}: nothing is left of it that `steps`, {}, "
          "could divide up to t = {:g}",
          step, time, steps_, end_);
  if (step == 0) return begin(time);
  choice_.stretch = Stretch(step, time, end_, steps_ - step);
}

int StepControl::left_to_choice(int step) const {
  if (!chooses()) return std::numeric_limits<int>::max();
  if (is_asked_) return 0;
  const auto next = std::min<std::int64_t>(choice_.step + kBetweenChoices, stretch().last());
  return static_cast<int>(next) - step;
}

void StepControl::choose(int step, double rate, double most) {
  const double left = end_ - stretch().time(step);
  const double before = choice_.rate;
  double growth = 1.0;
  if (may_grow_ && has_chosen() && rate > before) {
    growth = before > 0.0 ? std::min(kMostGrowth, rate / before) : kMostGrowth;
  }
  double free_dt = has_chosen() ? kMostGrowth * choice_.free_dt : kFirst * left;
  if (rate > 0.0) free_dt = std::min(free_dt, cfl_ / (growth * rate));
  free_dt = std::min(free_dt, most);
  attempts_ = has_chosen() && step == choice_.step ? attempts_ + 1 : 0;
  is_asked_ = false;
  set(step, free_dt, rate);
}

void StepControl::shorten(double cfl) {
  ++attempts_;
  set(choice_.step, choice_.free_dt * kShortened * cfl_ / cfl, choice_.rate);
}

double StepControl::closest() const { return kShortest * end_; }

double StepControl::end_of_stretch(double time) const {
  const double next = exact_.next(time + closest());
  return next < end_ - closest() ? next : end_;
}

void StepControl::set(int step, double free_dt, double rate) {
  if (attempts_ > kMostAttempts || !(free_dt >= kShortest * end_)) {
    throw StepTooShort{step, free_dt, attempts_, kShortest * end_};
  }
  const Stretch& now = stretch();
  const double time = now.time(step);
  const double end = end_of_stretch(time);
  const bool goes_on = has_chosen() && step < now.last() && now.end() == end &&
                       now.dt() <= free_dt && now.dt() >= kLeastPart * free_dt;
  Stretch next = now;
  if (!goes_on) {
    next = {step, time, end, static_cast<std::int64_t>(std::ceil((end - time) / free_dt))};
  }
  choice_ = {next, free_dt, step, rate, cfl_};
}

}  // namespace kumiko::amr
