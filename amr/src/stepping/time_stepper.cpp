#include "stepping/time_stepper.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include <fmt/core.h>

#include <kumiko/amr/require.hpp>

#include "backend/for_slots.hpp"

namespace kumiko::amr {

namespace {

bool steps_by_level(Schedule schedule, const Backend& backend) {
  if (schedule == Schedule::kDataflow && !backend.has_threads()) {
    throw OptionError("schedule", "dataflow",
                      fmt::format("backend '{}' steps level by level; set it to level or auto, or "
                                  "choose backend 'threads'",
                                  backend.name()));
  }
  return schedule == Schedule::kLevel || !backend.has_threads();
}

}  // namespace

TimeStepper::TimeStepper(Hierarchy& hierarchy, const Case& problem, const Solver& solver,
                         Backend& backend, const GhostExchange& exchange,
                         const SimulationOptions& options, Owner& owner)
    : hierarchy_(hierarchy),
      backend_(backend),
      owner_(owner),
      patches_(hierarchy, problem, solver, exchange, options),
      by_level_(steps_by_level(options.schedule, backend)),
      ledger_(backend, hierarchy.max_levels()),
      recorder_(backend, ledger_, by_level_),
      pieces_(hierarchy, patches_, ledger_, failures_),
      dataflow_(graph_, patches_, backend, pieces_, ledger_, recorder_) {}

void TimeStepper::prepare(int index, const std::vector<std::size_t>& slots, double time) {
  Level& level = hierarchy_.level(index);
  const LevelStep step{.level = index, .time = time};
  patches_.follow_mesh();
  for_slots(backend_, level, slots, [&](std::size_t slot) {
    try {
      const double cfl = patches_.prepare(index, slot, State::kNow, time);
      if (!patches_.serves(cfl)) failures_.keep({step, slot, cfl, nullptr});
    } catch (...) {
      failures_.keep({step, slot, 0.0, std::current_exception()});
    }
  });
  end_on_failure();
}

void TimeStepper::advance(int first, int count) {
  const PhaseOrder order{patches_.rules().clock(), first, hierarchy_.used_levels(),
                         patches_.rules().blends_in_time()};
  if (recorder_.is_on()) {
    // Room for the trace is made before the window, since a run without a trace takes no time for
    // it.
    graph_.build(hierarchy_, patches_.rules());
    recorder_.begin_stretch(order, count, graph_);
  }
  ledger_.begin_window(first, count);
  if (by_level_) {
    step_levels(order, count);
  } else {
    graph_.build(hierarchy_, patches_.rules());
    graph_bytes_ = graph_.bytes();  // a trace takes the graph
    dataflow_.advance(first, count);
  }
  const std::uint64_t own_updates = ledger_.end_window();
  const std::uint64_t expected = count_levels(count);
  end_on_failure();
  const std::uint64_t updates = collect_value(owner_, own_updates, std::plus<>());
  ensure(updates == expected,
         "base steps {} to {} made {} point updates of {}: patches were left out", first,
         first + count - 1, updates, expected);
  recorder_.end_stretch(ledger_.window_begin(), ledger_.window_end(), graph_);
  for (int index = 0; index < hierarchy_.max_levels(); ++index) {
    if (state_at(count * patches_.rules().clock().substeps(index)) == State::kNow) continue;
    Level& level = hierarchy_.level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) level.patch(slot).swap_states();
  }
}

/// \return the point updates of all levels
std::uint64_t TimeStepper::count_levels(int count) {
  std::uint64_t all = 0;
  for (int level = 0; level < hierarchy_.max_levels(); ++level) {
    const auto steps = static_cast<std::uint64_t>(patches_.rules().clock().substeps(level));
    const std::uint64_t of_level =
        hierarchy_.mesh().size(level) * kPatchPoints * steps * static_cast<std::uint64_t>(count);
    ledger_.count_level(level, of_level);
    all += of_level;
  }
  return all;
}

/// Filling a patch's ghosts writes that patch alone and reads interiors, which the advance of
/// others leaves as they are: the two need no barrier between them.
void TimeStepper::step_levels(const PhaseOrder& order, int count) {
  const auto visit = [this](PieceKind kind, const LevelStep& step) {
    if (failures_.any()) return false;
    phase(kind, step);
    return !failures_.any();
  };
  for (int number = 0; number < count; ++number) for_each_phase(order, 0, number, visit);
}

/// Does a piece of work on every patch of the step's level.
void TimeStepper::phase(PieceKind kind, const LevelStep& step) {
  const Level& level = hierarchy_.level(step.level);
  const auto record_of = [&](std::size_t slot) -> TracePiece* {
    if (!recorder_.is_on()) return nullptr;
    return recorder_.piece(graph_.level(step.level)[slot], kind, step.number);
  };
  if (kind == PieceKind::kAdvance && patches_.has_list_kernel()) {
    backend_.for_each_list(level, [&](std::size_t first, std::size_t last, int worker) {
      pieces_.run_list(step, first, last, worker, record_of);
    });
  } else {
    backend_.for_each(level, [&](std::size_t slot, int worker) {
      pieces_.run(kind, step, slot, worker, record_of(slot));
    });
  }
  ledger_.note_phase(step.base_step);
}

void TimeStepper::end_on_failure() {
  std::optional<Failure> failure = failures_.take();
  if (!failure) return throw_first(owner_, failure, {});
  const Patch& patch = hierarchy_.level(failure->step.level).patch(failure->slot);
  if (!failure->what) {
    try {
      throw patches_.cfl_error(patch, failure->step.time, failure->cfl);
    } catch (...) {
      failure->what = std::current_exception();
    }
  }
  throw_first(owner_, failure, patch.id());
}

}  // namespace kumiko::amr
