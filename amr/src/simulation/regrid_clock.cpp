#include "simulation/regrid_clock.hpp"

#include <algorithm>
#include <utility>

#include "refinement/regrid_interval.hpp"

namespace kumiko::amr {

namespace {

/// Base steps without a regrid between, at most: what is counted per base step has an end.
constexpr int kLongestWindow = 64;

}  // namespace

RegridClock::RegridClock(const Hierarchy& hierarchy, const TimeStepper& stepper,
                         const SimulationOptions& options, bool may_grow,
                         Communicator& communicator)
    : hierarchy_(hierarchy),
      stepper_(stepper),
      communicator_(communicator),
      levels_(options.levels),
      interval_(options.refinement.interval),
      buffer_(options.refinement.buffer),
      watches_flow_(levels_ > 1 && interval_ == 0 && may_grow) {}

int RegridClock::left(int step) const {
  if (levels_ == 1) return kLongestWindow;
  const int steps = std::min(kLongestWindow, next_ - step);
  return watches_flow_ ? std::min(steps, kBetweenLooks - step % kBetweenLooks) : steps;
}

void RegridClock::resume(int step, int next) {
  next_ = next;
  if (levels_ == 1) next_ = 0;
  if (levels_ > 1 && next_ == 0) next_ = step;
}

void RegridClock::note_changed_options(int step) {
  if (levels_ == 1 || next_ == step) return;
  const int earliest = std::max(step + 1, follow_at(step));
  next_ = std::max({1, step, std::min(next_, earliest)});
}

void RegridClock::note_regrid(int step) {
  if (levels_ == 1) return;
  next_ = follow_at(step);
  if (next_ == step && !outrun_at_) outrun_at_ = step;
  next_ = std::max(next_, step + 1);
}

void RegridClock::note_longer_steps(int step) {
  if (levels_ == 1 || interval_ > 0) return;
  next_ = std::min(next_, step + std::max(1, interval_by_flow()));
}

bool RegridClock::looks_before(int step) const {
  return watches_flow_ && step > 0 && step % kBetweenLooks == 0;
}

double RegridClock::own_interval() const {
  return amr::own_interval(hierarchy_, stepper_.motion(), stepper_.clock(), buffer_, communicator_);
}

void RegridClock::look_at_what_is_travelled(int step, std::optional<double> measured) {
  if (!looks_before(step)) return;
  // Where a step was refused the run has looked before it.
  if (std::exchange(looked_at_, step) == step) return;
  next_ = std::min(next_, step + (measured ? static_cast<int>(*measured) : interval_by_flow()));
}

int RegridClock::interval_by_flow() const {
  return automatic_interval(hierarchy_, stepper_.motion(), stepper_.clock(), buffer_,
                            communicator_);
}

int RegridClock::follow_at(int step) const {
  return interval_ > 0 ? step - step % interval_ + interval_ : step + interval_by_flow();
}

}  // namespace kumiko::amr
