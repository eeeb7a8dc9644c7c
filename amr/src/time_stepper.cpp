#include "time_stepper.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/core.h>

#include "for_slots.hpp"

namespace kumiko::amr {

namespace {

bool steps_by_level(Schedule schedule, const Backend& backend) {
  if (schedule == Schedule::kDataflow && !backend.has_threads()) {
    throw std::invalid_argument(
        fmt::format("backend '{}' steps level by level; set step.schedule to level or auto, or "
                    "choose backend 'threads'",
                    backend.name()));
  }
  return schedule == Schedule::kLevel || !backend.has_threads();
}

}  // namespace

TimeStepper::TimeStepper(Hierarchy& hierarchy, const Case& problem, const Solver& solver,
                         Backend& backend, const GhostExchange& exchange,
                         const SimulationOptions& options)
    : hierarchy_(hierarchy),
      backend_(backend),
      patches_(hierarchy, problem, solver, exchange, options),
      ledger_(backend, hierarchy.max_levels()),
      dataflow_(hierarchy, backend, patches_, ledger_, failures_),
      by_level_(steps_by_level(options.schedule, backend)) {}

void TimeStepper::prepare(int index, const std::vector<std::size_t>& slots, double time) {
  Level& level = hierarchy_.level(index);
  const LevelStep step{.level = index, .time = time};
  for_slots(backend_, level, slots, [&](std::size_t slot) {
    try {
      const double cfl = patches_.prepare(level.patch(slot), State::kNow, time);
      if (!patches_.serves(cfl)) failures_.keep({step, slot, cfl, nullptr});
    } catch (...) {
      failures_.keep({step, slot, 0.0, std::current_exception()});
    }
  });
  end_on_failure();
}

void TimeStepper::advance(int first, int count) {
  ledger_.begin_window(first, count);
  if (by_level_) {
    for (int number = 0; number < count; ++number) step_level(first, 0, number);
  } else {
    dataflow_.advance(first, count);
  }
  const std::uint64_t updates = ledger_.end_window();
  std::uint64_t expected = 0;
  for (int level = 0; level < hierarchy_.max_levels(); ++level) {
    const auto steps = static_cast<std::uint64_t>(patches_.clock().substeps(level));
    const std::uint64_t of_level =
        hierarchy_.level(level).size() * kPatchPoints * steps * static_cast<std::uint64_t>(count);
    ledger_.count_level(level, of_level);
    expected += of_level;
  }
  end_on_failure();
  if (updates != expected) {
    throw std::logic_error(
        fmt::format("base steps {} to {} made {} point updates of {}: patches were left out", first,
                    first + count - 1, updates, expected));
  }
  for (int index = 0; index < hierarchy_.max_levels(); ++index) {
    if (state_at(count * patches_.clock().substeps(index)) == State::kNow) continue;
    Level& level = hierarchy_.level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) level.patch(slot).swap_states();
  }
}

void TimeStepper::step_level(int first, int index, int number) {
  const LevelStep step = patches_.clock().step(first, index, number);
  const bool refined = index + 1 < hierarchy_.max_levels() && !hierarchy_.level(index + 1).empty();
  // Filling a patch's ghosts writes that patch alone and reads interiors, which this phase leaves
  // as they are: filling and advancing need no barrier between them.
  phase(step, [&](std::size_t slot, WorkLedger::Work& work) {
    patches_.fill_ghosts(step, slot);
    const double cfl = patches_.advance(step, slot);
    if (!patches_.serves(cfl)) failures_.keep({step, slot, cfl, nullptr});
    work.count_updates(kPatchPoints);
  });
  if (!refined || failures_.any()) return;
  if (patches_.blends_in_time()) {
    phase(step,
          [&](std::size_t slot, WorkLedger::Work&) { patches_.fill_next_ghosts(step, slot); });
  }
  for (int finer = step.ratio * number; finer < step.finer_end(); ++finer) {
    step_level(first, index + 1, finer);
    if (failures_.any()) return;
  }
  phase(step, [&](std::size_t slot, WorkLedger::Work&) { patches_.finish(step, slot); });
}

/// task(slot, work) for every patch of the step's level; exceptions become failures.
template <class Task>
void TimeStepper::phase(const LevelStep& step, Task task) {
  Level& level = hierarchy_.level(step.level);
  if (failures_.any()) return;
  backend_.for_each(level, [&](std::size_t slot, int worker) {
    WorkLedger::Work work(ledger_, worker, step.base_step, level.patch(slot));
    try {
      task(slot, work);
    } catch (...) {
      failures_.keep({step, slot, 0.0, std::current_exception()});
    }
  });
  ledger_.note_phase(step.base_step);
}

void TimeStepper::end_on_failure() {
  const std::optional<Failure> failure = failures_.take();
  if (!failure) return;
  if (failure->what) std::rethrow_exception(failure->what);
  const PatchId& id = hierarchy_.level(failure->step.level).patch(failure->slot).id();
  throw patches_.cfl_error(id, failure->step.time, failure->cfl);
}

}  // namespace kumiko::amr
