#include "simulation/run_loop.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include <kumiko/amr/finite_check.hpp>
#include <kumiko/amr/memory_limit.hpp>

#include "observation/shown_state.hpp"
#include "simulation/point_values.hpp"
#include "simulation/state_remap.hpp"

namespace kumiko::amr {

void RunLoop::begin() {
  begin_by([this] { regridder_.begin(); });
}

void RunLoop::begin(const InitialState& initial, RunSaver& saver) {
  run_.steps.begin(initial.time);
  if (is_on_own_grid(initial, run_.solver.traits(), run_.options)) {
    begin_by([&] {
      regridder_.begin_with_mesh(initial.run.mesh.levels(),
                                 [&](int level) { saver.restore_field(level, initial.run); });
    });
    return;
  }
  const StateRemap remap(initial, run_.hierarchy.geometry(), run_.problem);
  begin_by([&] {
    regridder_.begin([&remap](const PatchId& id, int component, std::span<double> values) {
      remap.fill(id, component, values);
    });
  });
}

/// \param begin  makes the first mesh and state
template <class Begin>
void RunLoop::begin_by(Begin begin) {
  run_.backend.run([&] {
    try {
      begin();
    } catch (const NoStepServes& refused) {
      // Before any step, the options are wrong.
      throw std::invalid_argument(refused.what());
    }
    check_values();
    show_to_case();
  });
}

void RunLoop::resume(const SavedRun& saved, RunSaver& saver) {
  check(saved, run_.hierarchy, run_.options.steps);
  run_.steps.resume(saved);
  const int step = run_.steps.step();
  run_.regrids.resume(step, saved.next_regrid);
  run_.next_check = std::min(saved.next_check, step + run_.options.refinement.check_finite);
  run_.scales.resume(saved.scales);
  run_.observer().resume(saved.counters);
  run_.backend.run([&] {
    saver.restore(saved);
    regridder_.resume(saved);
    rebalancer_.rebalance();
    if (saved.is_changed) run_.regrids.note_changed_options(step);
  });
}

void RunLoop::advance(int count, double until) {
  run_.backend.run([this, count, until] {
    BaseSteps& steps = run_.steps;
    RegridClock& regrids = run_.regrids;
    run_.recorder().note_return(steps.step());
    const int begin = steps.step();
    const std::int64_t end = std::int64_t{begin} + count;
    const auto is_there = [&] { return steps.step() > begin && steps.reach() >= until; };
    while (steps.step() < end && !is_there() && !steps.is_over()) {
      is_whole_ = false;
      check_values();
      const Measured known = std::exchange(measured_, {});
      regrids.look_at_what_is_travelled(steps.step(), known.interval);
      if (regrids.is_due(steps.step())) {
        regrid(known.magnitudes);
      } else if (steps.is_choice_due(steps.step())) {
        choose_step(known.cfl);
      }
      const auto left =
          std::min<std::int64_t>({end - steps.step(), regrids.left(steps.step()),
                                  steps_to_observation(), run_.stepper.watch().longest_window()});
      const int window = steps.until(until, static_cast<int>(left));
      const int first = steps.step();
      const StepClock clock = run_.stepper.clock();
      run_.stepper.watch().begin_window(first, window);
      try {
        const WindowMeasurement at_end(run_.hierarchy, run_.backend, regrids, steps, run_.stepper,
                                       steps.step() + window, run_.has_scales());
        if (const auto largest = steps.advance(window, [&] { return at_end.own_part(); })) {
          measured_ = at_end.of_all(*largest);
          show_to_case();
        }
      } catch (...) {
        if (steps.is_restored()) note_gone_back();
        throw;
      }
      is_whole_ = true;
      keep_watched(first, clock);
    }
  });
}

/// Costs no wait, since the run pauses between windows anyway.
void RunLoop::check_values() {
  const int interval = run_.options.refinement.check_finite;
  const int step = run_.steps.step();
  if (interval == 0 || step < run_.next_check) return;
  const TraceRecorder::Span span(run_.recorder(), "check", step);
  check_finite(run_.hierarchy, run_.backend, step, run_.communicator);
  run_.next_check = step + interval;
}

/// 0 where the case is not to observe the state.
int RunLoop::observation_interval() const {
  return run_.options.observe ? run_.problem.observe_every() : 0;
}

/// Shows a state only when the run can no longer go back behind it.
void RunLoop::show_to_case() {
  const int every = observation_interval();
  const int step = run_.steps.step();
  if (every <= 0 || step % every != 0) return;
  show_state(run_.problem, run_.hierarchy, step, run_.steps.time(),
             step > 0 ? run_.steps.dt() : 0.0, run_.communicator);
}

std::int64_t RunLoop::steps_to_observation() const {
  const int every = observation_interval();
  return every > 0 ? every - run_.steps.step() % every : std::numeric_limits<int>::max();
}

void RunLoop::regrid(const std::optional<std::vector<double>>& magnitudes) {
  const TraceRecorder::Span span(run_.recorder(), "regrid", run_.steps.step());
  try {
    regridder_.regrid(magnitudes);
  } catch (const MemoryLimitError&) {
    note_gone_back();
    throw;
  } catch (const NoStepServes&) {
    note_gone_back();
    throw;
  }
  run_.observer().count_regrid();
}

/// Chooses the length of the steps where no regrid does.
void RunLoop::choose_step(std::optional<double> largest_cfl) {
  const double before = run_.steps.dt();
  try {
    run_.steps.choose(largest_cfl);
  } catch (const NoStepServes&) {
    note_gone_back();
    throw;
  }
  if (run_.steps.dt() > before) run_.regrids.note_longer_steps(run_.steps.step());
}

/// Keeps the values of watched points after the steps that a window has taken.
/// \param clock  of these steps; those that follow a refused one have another
void RunLoop::keep_watched(int first, const StepClock& clock) {
  for (WatchedValues& row : watched_values(run_, first, clock)) watched_.push_back(std::move(row));
}

/// All ranks have failed together, and all levels stand before Run::steps.step().
void RunLoop::note_gone_back() {
  is_whole_ = true;
  orders_.note_gone_back();
}

}  // namespace kumiko::amr
