#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <kumiko/amr/balance.hpp>
#include <kumiko/amr/finite_check.hpp>
#include <kumiko/amr/memory_limit.hpp>
#include <kumiko/amr/partition.hpp>
#include <kumiko/amr/simulation.hpp>

#include "ghosts/ghost_exchange.hpp"
#include "observation/patch_error.hpp"
#include "observation/shown_state.hpp"
#include "refinement/criterion.hpp"
#include "refinement/field_scales.hpp"
#include "refinement/magnitudes.hpp"
#include "refinement/regrid_plan.hpp"
#include "sharing/migration.hpp"
#include "sharing/trace_gather.hpp"
#include "simulation/base_steps.hpp"
#include "simulation/checks.hpp"
#include "simulation/orders.hpp"
#include "simulation/patch_costs.hpp"
#include "simulation/regrid_clock.hpp"
#include "simulation/saved_run.hpp"
#include "simulation/window_measurement.hpp"
#include "stepping/time_stepper.hpp"
#include "transfer/sampling.hpp"
#include "transfer/transfer_operators.hpp"

namespace kumiko::amr {

namespace {

/// Components of a record that has them.
constexpr int kExtras = static_cast<int>(kExtraNames.size());

/// Who has the patches of level 0 before there are others.
std::vector<std::int32_t> first_owners(const SimulationOptions& options, const Owner& owner) {
  if (owner.count() == 1) return {};
  BaseGrid<2> base;
  base.patches = {options.points_x / kPatchSize, options.points_y / kPatchSize};
  base.extent = {1.0, 1.0};
  const Mesh<2> mesh(base);
  return deal(options.partition, mesh, expected_costs(mesh, options.subcycling), owner.count())
      .front();
}

}  // namespace

struct Simulation::Engine {
  Engine(const Case& problem, const Solver& solver, Backend& backend,
         const SimulationOptions& options, Owner& owner)
      : case_(problem),
        solver_(solver),
        transfer_(transfer_operators(solver.traits().centring)),
        backend_(backend),
        owner_(owner),
        balance_(options.partition, owner.count()),
        options_(resolved(options, problem, solver.traits())),
        hierarchy_(checked_geometry(problem, solver, options_, owner.count()), options.levels,
                   shape_for(problem, solver, options_), owner.number(),
                   first_owners(options, owner)),
        exchange_(hierarchy_, problem, solver, options_.time_interpolation),
        stepper_(hierarchy_, problem, solver, backend, exchange_, options_, owner_),
        costs_(hierarchy_, solver, stepper_, options_.subcycling),
        steps_(problem, solver, options_, hierarchy_, backend, stepper_),
        regrids_(hierarchy_, stepper_, options_, steps_.may_grow(), owner),
        orders_(owner),
        scales_(solver.traits().vectors) {}

  void initialize() {
    backend_.run([this] {
      stepper_.prepare(0, all_slots(0), 0.0, [this](std::size_t slot) { sample(0, slot); });
      begin_scales();
      make_plan();
      try {
        regrid(Fill::kSample);
      } catch (const NoStepServes& refused) {
        // Before anything is done it is the options that are wrong.
        throw std::invalid_argument(refused.what());
      }
      look_for_broken_values();
      show_to_case();
    });
  }

  void resume(const SavedRun& saved) {
    check(saved, hierarchy_, options_.steps);
    steps_.resume(saved);
    regrids_.resume(steps_.step(), saved.next_regrid);
    next_check_ = std::min(saved.next_check, steps_.step() + options_.refinement.check_finite);
    scales_.resume(saved.scales);
    observer().resume(saved.counters);
    backend_.run([this, &saved] {
      for (int index = 0; index < saved.mesh.levels(); ++index) restore(index, saved);
      make_plan();
      plan_->resume(saved.unnested);
      for (int index = 0; index < saved.mesh.levels(); ++index) {
        plan_->resume(index, saved.level(index).histories);
      }
      balance();
      if (saved.is_changed) regrids_.note_changed_options(steps_.step());
    });
  }

  /// Saves with all owners.
  /// \param ranges  whose records each owner gets, by owner
  SavedShare save(int extras, std::vector<std::vector<PatchRange>> ranges) {
    const auto components = static_cast<std::size_t>(hierarchy_.shape().components + extras);
    SavedShare share{{hierarchy_.mesh(),
                      steps_.step(),
                      steps_.time(),
                      steps_.dt(),
                      steps_.saved_choice(),
                      regrids_.next(),
                      next_check_,
                      plan_->unnested(),
                      scales_.saved(),
                      {},
                      observer().counters(),
                      extras},
                     {}};
    RecordExchange records(hierarchy_.mesh(), owner_, std::move(ranges), components * kPatchPoints);
    backend_.run([&] {
      for (int index = 0; index < hierarchy_.used_levels(); ++index) {
        const Level& level = hierarchy_.level(index);
        SavedLevel& to = share.run.levels.emplace_back();
        const auto histories = plan_->histories(index);
        to.histories.assign(histories.begin(), histories.end());
        for (const PatchMotion& motion : stepper_.motion().level(index)) {
          to.cfl.push_back(motion.cfl);
          to.travelled.push_back(motion.travelled);
        }
        backend_.for_each(level, [&](std::size_t slot, int) {
          copy(level.patch(slot), records.own(index, slot));
        });
      }
      if (extras > 0) save_extras(records);
      if (owner_.count() > 1) records.swap(stepper_.shadows().mailbox(), share.run);
    });
    share.records = records.take();
    return share;
  }

  /// Each owner's share.
  SavedShare save_share(int extras) {
    return save(extras, record_ranges(hierarchy_.mesh(), owner_.count()));
  }

  /// All of it for owner 0; the others get nothing.
  SavedRun save_whole(int extras) {
    std::vector<std::vector<PatchRange>> ranges(static_cast<std::size_t>(owner_.count()));
    ranges.front() = record_ranges(hierarchy_.mesh(), 1).front();
    SavedShare share = save(extras, std::move(ranges));
    for (RecordStretch& level : share.records.stretches) {
      share.run.levels[static_cast<std::size_t>(level.patches.level)].values =
          std::move(level.values);
    }
    return std::move(share.run);
  }

  /// Does this owner's part of owner 0's next call. \return false when it ends
  bool follow(const std::function<void(SavedRecords&&)>& take) {
    using Call = Order::Call;
    const Order order = orders_.next();
    switch (order.call) {
      case Call::kEnd:
        return false;
      case Call::kAdvance:
        try {
          advance(static_cast<int>(order.number), order.until);
        } catch (...) {
          orders_.keep_failure();
        }
        break;
      case Call::kSave:
        save_whole(static_cast<int>(order.number));
        break;
      case Call::kSaveShare: {
        SavedRecords records = save_share(static_cast<int>(order.number)).records;
        if (take) take(std::move(records));
        owner_.exchange({});
        break;
      }
      case Call::kFieldFigures:
        amr::field_figures(hierarchy_, backend_, owner_);
        break;
      case Call::kErrorNorms:
        error_norms();
        break;
      case Call::kStateHash:
        amr::state_hash(hierarchy_, backend_, owner_);
        break;
      case Call::kCheckFinite:
        check_finite();
        break;
      case Call::kMemoryUse:
        memory_use();
        break;
      case Call::kStartTrace:
        start_trace(static_cast<std::size_t>(order.number));
        break;
      case Call::kBringTraceTogether:
        bring_trace_together();
        break;
    }
    return true;
  }

  std::optional<ErrorNorms> error_norms() {
    return amr::error_norms(hierarchy_, case_, steps_.time(), backend_, owner_);
  }

  void check_finite() {
    backend_.run([this] { amr::check_finite(hierarchy_, backend_, steps_.step(), owner_); });
  }

  void advance(int steps, double until) {
    backend_.run([this, steps, until] {
      recorder().note_return(steps_.step());
      const int begin = steps_.step();
      const std::int64_t end = std::int64_t{begin} + steps;
      const auto is_there = [&] { return steps_.step() > begin && steps_.reach() >= until; };
      while (steps_.step() < end && !is_there() && !steps_.is_over()) {
        is_whole_ = false;
        look_for_broken_values();
        const Measured known = std::exchange(measured_, {});
        regrids_.look_at_what_is_travelled(steps_.step(), known.interval);
        if (regrids_.is_due(steps_.step())) {
          regrid_on_the_way(known.magnitudes);
        } else if (steps_.is_choice_due(steps_.step())) {
          choose_between_regrids(known.cfl);
        }
        const auto left = std::min<std::int64_t>(
            {end - steps_.step(), regrids_.left(steps_.step()), steps_to_show()});
        const int count = steps_.until(until, static_cast<int>(left));
        try {
          const WindowMeasurement at_end(hierarchy_, backend_, regrids_, steps_, stepper_,
                                         steps_.step() + count, has_scales());
          if (const auto largest = steps_.advance(count, [&] { return at_end.own_part(); })) {
            measured_ = at_end.of_all(*largest);
            show_to_case();
          }
        } catch (...) {
          if (steps_.is_restored()) note_gone_back();
          throw;
        }
        is_whole_ = true;
      }
    });
  }

  /// Shows the case a state that the run does not go back from, where it has asked for it.
  void show_to_case() {
    const int every = options_.observe ? case_.observe_every() : 0;
    if (every <= 0 || steps_.step() % every != 0) return;
    show_state(case_, hierarchy_, steps_.step(), steps_.time(),
               steps_.step() > 0 ? steps_.dt() : 0.0, owner_);
  }

  /// Base steps until the case is to be shown the state.
  std::int64_t steps_to_show() const {
    const int every = options_.observe ? case_.observe_every() : 0;
    return every > 0 ? every - steps_.step() % every : std::numeric_limits<int>::max();
  }

  /// All owners have failed together, and stand where all levels do, before steps_.step().
  void note_gone_back() {
    is_whole_ = true;
    orders_.note_gone_back();
  }

  /// Where it is refused, all owners stand before it, with some levels regridded perhaps: whoever
  /// continues from this state regrids again.
  void regrid_on_the_way(const std::optional<std::vector<double>>& magnitudes) {
    const TraceRecorder::Span span(recorder(), "regrid", steps_.step());
    try {
      regrid(Fill::kProlong, magnitudes);
    } catch (const MemoryLimitError&) {
      note_gone_back();
      throw;
    } catch (const NoStepServes&) {
      note_gone_back();
      throw;
    }
    observer().count_regrid();
  }

  /// Chooses the length of the steps where no regrid comes first.
  void choose_between_regrids(std::optional<double> largest_cfl) {
    const double before = steps_.dt();
    try {
      steps_.choose(largest_cfl);
    } catch (const NoStepServes&) {
      note_gone_back();
      throw;
    }
    if (steps_.dt() > before) regrids_.note_longer_steps(steps_.step());
  }

  void start_trace(std::size_t most_bytes) {
    backend_.run([this, most_bytes] { recorder().start(most_bytes); });
  }

  void bring_trace_together() {
    if (owner_.count() == 1) return;
    backend_.run([this] { gather_trace(recorder(), stepper_.shadows().mailbox(), owner_); });
  }

  Trace stop_trace() {
    Trace trace = recorder().stop();
    trace.solver = solver_.traits().name;
    trace.backend = backend_.name();
    trace.schedule = stepper_.schedule().name();
    trace.workers = observer().workers();
    trace.points_x = options_.points_x;
    trace.points_y = options_.points_y;
    trace.levels = options_.levels;
    trace.subcycling = options_.subcycling;
    return trace;
  }

  Observer& observer() { return stepper_.observer(); }
  const Observer& observer() const { return stepper_.observer(); }
  /// Of all owners.
  MemoryUse memory_use() const {
    MemoryUse use = hierarchy_.memory_use();
    use.metadata_bytes +=
        stepper_.metadata_bytes() + exchange_.memory_bytes() + steps_.memory_bytes();
    return collect_value(owner_, use, [](MemoryUse all, const MemoryUse& other) {
      all.patch_bytes += other.patch_bytes;
      all.metadata_bytes += other.metadata_bytes;
      all.points += other.points;
      return all;
    });
  }

  /// Checks the state when it is time to. The run pauses between windows of steps anyway, so that
  /// this costs no wait.
  void look_for_broken_values() {
    const int interval = options_.refinement.check_finite;
    if (interval == 0 || steps_.step() < next_check_) return;
    const TraceRecorder::Span span(recorder(), "check", steps_.step());
    amr::check_finite(hierarchy_, backend_, steps_.step(), owner_);
    next_check_ = steps_.step() + interval;
  }

  Indicator indicator_of(const RefinementOptions& options) const {
    return make_indicator(options, hierarchy_.geometry(), case_, scales_);
  }

  void make_plan() {
    plan_.emplace(hierarchy_, backend_, owner_, options_.refinement,
                  indicator_of(options_.refinement));
  }

  /// Adds the values of kExtraNames to saved records. Ghosts are filled anew for the indicator, as
  /// for a regrid; every step fills its own.
  void save_extras(RecordExchange& records) {
    RefinementOptions exact = options_.refinement;
    exact.threshold = 0.0;  // however small
    exact.derefine_threshold = 0.0;
    const Indicator indicator = indicator_of(exact);
    for (int index = 0; index < hierarchy_.used_levels(); ++index) {
      const Level& level = hierarchy_.level(index);
      stepper_.shadows().refresh(index);
      backend_.for_each(level, [&](std::size_t slot, int) { fill_now(index, slot); });
      backend_.for_each(level, [&](std::size_t slot, int) {
        const Patch& patch = level.patch(slot);
        IndicatorField values;
        indicator(patch, steps_.time(), values);
        const Observer::PatchWork work = observer().work(index, slot);
        copy_extras(patch, work.worker, observer().seconds(work.ticks), values,
                    records.own(index, slot));
      });
    }
  }

  /// Makes the patches of a level on the levels below, which are there. What a step needs beside
  /// their values is computed anew.
  void restore(int index, const SavedRun& saved) {
    if (index > 0) {
      const std::span<const PatchId> ids = saved.mesh.ids(index);
      check_nesting(ids, hierarchy_);
      std::vector<PatchId> wanted(ids.begin(), ids.end());
      check_memory(hierarchy_, index, wanted, options_.refinement.memory_limit);
      hierarchy_.change(index, std::move(wanted));
    }
    Level& level = hierarchy_.level(index);
    stepper_.prepare(index, all_slots(index), steps_.time(),
                     [&](std::size_t slot) { copy(saved, slot, level.patch(slot)); });
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      PatchMotion& motion = stepper_.motion().at(index, slot);
      // Else it is what was prepared, for these steps.
      if (steps_.may_grow() && saved.dt == steps_.dt()) motion.cfl = saved.level(index).cfl[slot];
      motion.travelled = saved.level(index).travelled[slot];
    }
  }

  std::vector<std::size_t> all_slots(int index) const {
    std::vector<std::size_t> all(hierarchy_.level(index).size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  /// How new patches get their values.
  enum class Fill { kSample, kProlong };

  /// Rebuilds every level above 0, coarse to fine, all at the same time. At each level: ghosts,
  /// tags, the new children, their values.
  /// \param magnitudes  the largest of all owners, where they know them already
  void regrid(Fill fill, const std::optional<std::vector<double>>& magnitudes = std::nullopt) {
    if (stepper_.shadows().is_shared() && options_.balance && steps_.step() > 0) {
      balance_.note(collect(owner_, observer().take_costs()));
    }
    if (steps_.step() > 0) follow_scales(magnitudes);
    plan_->begin(steps_.step());
    const auto fill_ghosts = [this](int level, std::size_t slot) { fill_now(level, slot); };
    for (int level = 0; level + 1 < hierarchy_.max_levels(); ++level) {
      stepper_.shadows().refresh(level);
      std::vector<PatchId> wanted = plan_->children(level, steps_.time(), fill_ghosts);
      check_memory(hierarchy_, level + 1, wanted, options_.refinement.memory_limit);
      const std::vector<std::size_t> came = hierarchy_.change(level + 1, std::move(wanted));
      plan_->note_arrivals(level + 1, came);
      stepper_.prepare(level + 1, came, steps_.time(), [&](std::size_t slot) {
        fill == Fill::kSample ? sample(level + 1, slot) : prolong_into(level + 1, slot);
      });
    }
    if (steps_.chooses()) steps_.choose();
    // A refused regrid comes again, so it must leave counts and distances alone.
    plan_->end();
    stepper_.motion().for_each([](PatchMotion& motion) { motion.travelled = 0.0; });
    regrids_.note_regrid(steps_.step());
    balance();
  }

  /// Deals the patches of a shared mesh out anew, where some owner has much more work than others;
  /// then all that is kept of the mesh follows it.
  void balance() {
    if (stepper_.shadows().is_shared() && options_.balance) {
      const auto owners = balance_.decide(hierarchy_.mesh(), costs_.weighted(steps_.time()));
      if (owners) move(*owners);
    }
    exchange_.follow_mesh();
    stepper_.shadows().follow_mesh();
  }

  /// Gives patches other owners; what a step needs beside their values is computed anew.
  void move(const ByPatch<std::int32_t>& owners) {
    for (int level = 0; level < hierarchy_.used_levels(); ++level) {
      const auto before = hierarchy_.mesh().owners(level);
      const auto& after = owners[static_cast<std::size_t>(level)];
      for (std::size_t slot = 0; slot < after.size(); ++slot) {
        if (before[slot] != after[slot]) ++moved_;
      }
    }
    const auto came =
        move_patches(hierarchy_, stepper_.shadows().mailbox(), owners, stepper_.motion());
    for (int level = 0; level < hierarchy_.used_levels(); ++level) {
      const std::vector<std::size_t>& slots = came[static_cast<std::size_t>(level)];
      std::vector<PatchMotion> motion;
      for (const std::size_t slot : slots) motion.push_back(stepper_.motion().at(level, slot));
      stepper_.prepare(level, slots, steps_.time(), [](std::size_t) {});
      for (std::size_t at = 0; at < slots.size(); ++at) {
        stepper_.motion().at(level, slots[at]) = motion[at];
      }
    }
  }

  void fill_now(int level, std::size_t slot) {
    in_patch("the ghosts", hierarchy_.level(level).patch(slot).id(), steps_.time(), [&] {
      exchange_.fill(level, slot, State::kNow, {steps_.time(), 0.0, 0.0});
    });
  }

  void sample(int index, std::size_t slot) {
    Patch& patch = hierarchy_.level(index).patch(slot);
    std::array<double, kPatchPoints> values;
    for (int component = 0; component < patch.now().components(); ++component) {
      const auto initial = [&](Points points, std::span<double> result) {
        case_.initial(points, component, result);
        return true;
      };
      in_patch("the initial field", patch.id(), 0.0,
               [&] { sample_patch(hierarchy_.geometry(), patch.id(), initial, values); });
      patch.now().interior(component) =
          Eigen::Map<const FieldArray>(values.data(), kPatchSize, kPatchSize);
    }
  }

  void prolong_into(int index, std::size_t slot) {
    Patch& patch = hierarchy_.level(index).patch(slot);
    const auto parent = static_cast<std::size_t>(hierarchy_.plan().parent(index, slot));
    const Patch& coarser = hierarchy_.level(index - 1).patch(parent);
    transfer_.prolong(coarser.now(), patch.id().quadrant(), patch.now());
  }

  /// The scales of a run that begins, with the ghosts of level 0 among its points: what the sides
  /// prescribe is to come in.
  void begin_scales() {
    stepper_.shadows().refresh(0);
    backend_.for_each(hierarchy_.level(0), [&](std::size_t slot, int) { fill_now(0, slot); });
    scales_.begin(largest_magnitudes_with_ghosts(hierarchy_, backend_, owner_));
  }

  bool has_scales() const { return options_.refinement.criterion == Criterion::kLoehner; }

  void follow_scales(const std::optional<std::vector<double>>& magnitudes) {
    if (!has_scales()) return;
    scales_.follow(magnitudes ? *magnitudes : largest_magnitudes(hierarchy_, backend_, owner_));
  }

  TraceRecorder& recorder() { return observer().recorder(); }

  const Case& case_;
  const Solver& solver_;
  TransferOperators transfer_;
  Backend& backend_;
  Owner& owner_;
  Balance balance_;
  SimulationOptions options_;
  Hierarchy hierarchy_;
  GhostExchange exchange_;
  TimeStepper stepper_;
  PatchCosts costs_;
  BaseSteps steps_;
  RegridClock regrids_;
  Orders orders_;
  bool is_whole_ = true;  ///< whether the state is that before steps_.step()
  Measured measured_;
  std::optional<RegridPlan> plan_;
  int next_check_ = 0;
  FieldScales scales_;
  std::uint64_t moved_ = 0;  ///< patches, to another owner
};

Simulation::Simulation(const Case& problem, const Solver& solver, Backend& backend,
                       const SimulationOptions& options, Owner& owner)
    : engine_(std::make_unique<Engine>(problem, solver, backend, options, owner)) {
  engine_->initialize();
}

Simulation::Simulation(const Case& problem, const Solver& solver, Backend& backend,
                       const SimulationOptions& options, const SavedRun& saved, Owner& owner)
    : engine_((check_base(saved, options),
               std::make_unique<Engine>(problem, solver, backend, options, owner))) {
  engine_->resume(saved);
}

Simulation::~Simulation() { engine_->orders_.end(); }

bool Simulation::follow(const std::function<void(SavedRecords&&)>& take) {
  return engine_->follow(take);
}

void Simulation::advance(int steps, double until) {
  engine_->orders_.direct({Order::Call::kAdvance, steps, until},
                          [&] { return engine_->advance(steps, until), true; });
}
double Simulation::reach() const { return engine_->steps_.reach(); }
void Simulation::start_trace(std::size_t most_bytes) {
  engine_->orders_.direct({Order::Call::kStartTrace, static_cast<std::int64_t>(most_bytes)},
                          [&] { return engine_->start_trace(most_bytes), true; });
}
bool Simulation::trace_is_full() const { return engine_->recorder().is_full(); }
Trace Simulation::stop_trace() {
  engine_->orders_.direct({Order::Call::kBringTraceTogether},
                          [this] { return engine_->bring_trace_together(), true; });
  return engine_->stop_trace();
}
std::vector<WorkerActivity> Simulation::activity() const { return engine_->observer().activity(); }
SavedRun Simulation::save() const {
  return engine_->orders_.direct({Order::Call::kSave, 0},
                                 [this] { return engine_->save_whole(0); });
}
SavedRun Simulation::save_with_extras() const {
  return engine_->orders_.direct({Order::Call::kSave, kExtras},
                                 [this] { return engine_->save_whole(kExtras); });
}
SavedShare Simulation::save_share(bool with_extras) const {
  const int extras = with_extras ? kExtras : 0;
  return engine_->orders_.direct({Order::Call::kSaveShare, extras}, [&] {
    SavedShare share = engine_->save_share(extras);
    engine_->owner_.exchange({});
    return share;
  });
}
Owner& Simulation::owner() const { return engine_->owner_; }
FieldFigures Simulation::field_figures() const {
  return engine_->orders_.direct({Order::Call::kFieldFigures}, [this] {
    return amr::field_figures(engine_->hierarchy_, engine_->backend_, engine_->owner_);
  });
}
std::optional<ErrorNorms> Simulation::error_norms() const {
  return engine_->orders_.direct({Order::Call::kErrorNorms},
                                 [this] { return engine_->error_norms(); });
}
std::string Simulation::state_hash() const {
  return engine_->orders_.direct({Order::Call::kStateHash}, [this] {
    return amr::state_hash(engine_->hierarchy_, engine_->backend_, engine_->owner_);
  });
}
void Simulation::check_finite() const {
  engine_->orders_.direct({Order::Call::kCheckFinite},
                          [this] { return engine_->check_finite(), true; });
}
const std::vector<int>& Simulation::workers_by_owner() const {
  return engine_->observer().workers_by_owner();
}
std::optional<ByPatch<double>> Simulation::expected_seconds() const {
  return engine_->costs_.seconds(engine_->steps_.time());
}
std::uint64_t Simulation::moved_patches() const { return engine_->moved_; }
int Simulation::workers() const { return engine_->observer().workers(); }
std::string_view Simulation::schedule() const { return engine_->stepper_.schedule().name(); }
bool Simulation::is_over() const {
  if (engine_->steps_.chooses()) return engine_->steps_.is_over();
  return engine_->steps_.step() >= engine_->options_.steps;
}
bool Simulation::is_whole() const { return engine_->is_whole_; }
double Simulation::end_time() const { return engine_->options_.end_time; }
int Simulation::step() const { return engine_->steps_.step(); }
std::optional<int> Simulation::buffer_outrun_at() const { return engine_->regrids_.outrun_at(); }
int Simulation::next_regrid() const { return engine_->regrids_.next(); }
std::size_t Simulation::unnested_patches() const { return engine_->plan_->unnested(); }
double Simulation::time() const { return engine_->steps_.time(); }
double Simulation::dt() const { return engine_->steps_.dt(); }
const SimulationOptions& Simulation::options() const { return engine_->options_; }
const Hierarchy& Simulation::hierarchy() const { return engine_->hierarchy_; }
const WorkCounters& Simulation::counters() const { return engine_->observer().counters(); }
MemoryUse Simulation::memory_use() const {
  return engine_->orders_.direct({Order::Call::kMemoryUse},
                                 [this] { return engine_->memory_use(); });
}
const std::deque<BaseStepLoad>& Simulation::recent_steps() const {
  return engine_->observer().steps();
}

}  // namespace kumiko::amr
