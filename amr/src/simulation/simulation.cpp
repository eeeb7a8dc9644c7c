#include <algorithm>
#include <cstdint>
#include <utility>

#include <kumiko/amr/require.hpp>
#include <kumiko/amr/simulation.hpp>

#include "observation/point_place.hpp"
#include "simulation/engine.hpp"
#include "simulation/saved_run.hpp"

namespace kumiko::amr {

namespace {

constexpr int kExtras = static_cast<int>(kExtraNames.size());

}  // namespace

Simulation::Simulation(const Case& problem, const Solver& solver, Backend& backend,
                       const SimulationOptions& options, Communicator& communicator)
    : engine_(std::make_unique<Engine>(problem, solver, backend, options, communicator)) {
  engine_->loop.begin();
}

Simulation::Simulation(const Case& problem, const Solver& solver, Backend& backend,
                       const SimulationOptions& options, const SavedRun& saved,
                       Communicator& communicator)
    : engine_((check_base(saved, options),
               std::make_unique<Engine>(problem, solver, backend, options, communicator))) {
  engine_->loop.resume(saved, engine_->saver);
}

Simulation::Simulation(const Case& problem, const Solver& solver, Backend& backend,
                       const SimulationOptions& options, const InitialState& initial,
                       Communicator& communicator)
    : engine_((check_initial(initial, problem),
               std::make_unique<Engine>(problem, solver, backend, options, communicator))) {
  engine_->loop.begin(initial, engine_->saver);
}

Simulation::~Simulation() { engine_->end_others(); }

bool Simulation::follow(const std::function<void(SavedRecords&&)>& take) {
  return engine_->follow(take);
}

void Simulation::advance(int steps, double until) {
  engine_->orders.check_failure_before_steps();
  const auto order = [](Engine& engine, int number, double time) {
    engine.loop.advance(number, time);
  };
  if (!engine_->hook) return engine_->direct(order, steps, until);
  const std::int64_t end = std::int64_t{step()} + steps;
  while (step() < end && !engine_->run.steps.is_over()) {
    const std::int64_t to_hook = engine_->hook_every - step() % engine_->hook_every;
    const std::int64_t left = std::min(end - step(), to_hook);
    engine_->direct(order, static_cast<int>(left), until);
    if (step() % engine_->hook_every == 0) engine_->hook(*this);
    if (reach() >= until) return;
  }
}

void Simulation::after_steps(int every, std::function<void(const Simulation&)> hook) {
  require(every > 0, "a hook is to be called every {} base steps; it must be at least 1", every);
  engine_->hook_every = every;
  engine_->hook = std::move(hook);
}

double Simulation::reach() const { return engine_->run.steps.reach(); }
double Simulation::end_time() const { return engine_->run.options.end_time; }

bool Simulation::is_over() const {
  const BaseSteps& steps = engine_->run.steps;
  return steps.chooses() ? steps.is_over() : steps.step() >= engine_->run.options.steps;
}

bool Simulation::is_whole() const { return engine_->loop.is_whole(); }

void Simulation::start_trace(std::size_t most_bytes) {
  engine_->direct([](Engine& engine, std::size_t most) { engine.start_trace(most); }, most_bytes);
}

bool Simulation::trace_is_full() const { return engine_->run.recorder().is_full(); }

Trace Simulation::stop_trace() {
  engine_->direct([](Engine& engine) { engine.gather_trace(); });
  Run& run = engine_->run;
  Trace trace = run.recorder().stop();
  trace.solver = run.solver.traits().name;
  trace.backend = run.backend.name();
  trace.schedule = schedule();
  trace.workers = workers();
  trace.points_x = run.options.points_x;
  trace.points_y = run.options.points_y;
  trace.levels = run.options.levels;
  trace.subcycling = run.options.subcycling;
  return trace;
}

std::vector<WorkerActivity> Simulation::activity() const {
  return engine_->run.observer().activity();
}

SavedRun Simulation::save() const {
  return engine_->direct([](Engine& engine) { return engine.save_whole(0); });
}

SavedRun Simulation::save_with_extras() const {
  return engine_->direct([](Engine& engine) { return engine.save_whole(kExtras); });
}

SavedShare Simulation::save_share(bool with_extras) const {
  return engine_->direct([](Engine& engine, int extras) { return engine.share_out(extras); },
                         with_extras ? kExtras : 0);
}

FieldFigures Simulation::field_figures() const {
  return engine_->direct([](Engine& engine) { return engine.field_figures(); });
}

std::vector<std::vector<double>> Simulation::value_at(Points points) const {
  check_points(hierarchy().geometry(), points);
  return engine_->direct(
      [](Engine& engine, const std::vector<double>& x, const std::vector<double>& y) {
        return engine.value_at({x, y});
      },
      std::vector<double>(points.x.begin(), points.x.end()),
      std::vector<double>(points.y.begin(), points.y.end()));
}

std::size_t Simulation::watch(Points points, int every) {
  check_points(hierarchy().geometry(), points);
  require(every > 0, "points are to be watched every {} base steps; it must be at least 1", every);
  return engine_->direct(
      [](Engine& engine, const std::vector<double>& x, const std::vector<double>& y, int steps) {
        return engine.run.stepper.watch().add({x, y}, steps);
      },
      std::vector<double>(points.x.begin(), points.x.end()),
      std::vector<double>(points.y.begin(), points.y.end()), every);
}

std::vector<WatchedValues> Simulation::take_watched() { return engine_->loop.take_watched(); }

std::vector<double> Simulation::box_integrals(const Rectangle& box) const {
  check_box(hierarchy().geometry(), box);
  return engine_->direct(
      [](Engine& engine, const Rectangle& within) { return engine.box_integrals(within); }, box);
}

std::vector<Extremes> Simulation::extremes() const {
  return engine_->direct([](Engine& engine) { return engine.extremes(); });
}

std::optional<ErrorNorms> Simulation::error_norms() const {
  return engine_->direct([](Engine& engine) { return engine.error_norms(); });
}

std::string Simulation::state_hash() const {
  return engine_->direct([](Engine& engine) { return engine.state_hash(); });
}

void Simulation::check_finite() const {
  engine_->direct([](Engine& engine) { engine.check_finite(); });
}

MemoryUse Simulation::memory_use() const {
  return engine_->direct([](Engine& engine) { return engine.run.memory_use(); });
}

int Simulation::workers() const { return engine_->run.observer().workers(); }

const std::vector<int>& Simulation::workers_by_rank() const {
  return engine_->run.observer().workers_by_rank();
}

std::uint64_t Simulation::moved_patches() const { return engine_->rebalancer.moved_patches(); }

std::optional<ByPatch<double>> Simulation::expected_seconds() const {
  return engine_->rebalancer.expected_seconds();
}

std::string_view Simulation::schedule() const { return engine_->run.stepper.schedule().name(); }
int Simulation::step() const { return engine_->run.steps.step(); }
int Simulation::next_regrid() const { return engine_->run.regrids.next(); }
std::optional<int> Simulation::buffer_outrun_at() const { return engine_->run.regrids.outrun_at(); }
double Simulation::time() const { return engine_->run.steps.time(); }
double Simulation::dt() const { return engine_->run.steps.dt(); }
const SimulationOptions& Simulation::options() const { return engine_->run.options; }
Communicator& Simulation::communicator() const { return engine_->run.communicator; }
const Hierarchy& Simulation::hierarchy() const { return engine_->run.hierarchy; }
const WorkCounters& Simulation::counters() const { return engine_->run.observer().counters(); }
std::size_t Simulation::unnested_patches() const { return engine_->regridder.plan().unnested(); }

const std::deque<BaseStepLoad>& Simulation::recent_steps() const {
  return engine_->run.observer().steps();
}

}  // namespace kumiko::amr
