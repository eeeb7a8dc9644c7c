#include "observation/observer.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <kumiko/amr/require.hpp>

namespace kumiko::amr {

namespace {

/// A worker's load in a base step, as ranks exchange it.
struct StepLoad {
  WorkerLoad load;
  double cfl = 0.0;
};

}  // namespace

Observer::Observer(const Backend& backend, int levels, bool by_level, Communicator& communicator)
    : communicator_(communicator),
      runtime_(backend.runtime()),
      workers_(static_cast<std::size_t>(backend.workers())),
      recorder_(backend, clock_, by_level, communicator) {
  for (Worker& own : workers_) own.now.start_idle(clock_.begin());
  counters_.updates_per_level.resize(static_cast<std::size_t>(levels));
  workers_by_rank_ = gather(communicator, backend.workers());
  const auto own = workers_by_rank_.begin() + communicator.rank();
  first_worker_ = std::accumulate(workers_by_rank_.begin(), own, 0);
  all_workers_ = std::accumulate(own, workers_by_rank_.end(), first_worker_);
  counters_.workers.resize(static_cast<std::size_t>(all_workers_));
}

void Observer::resume(const WorkCounters& counters) {
  const std::size_t levels = counters_.updates_per_level.size();
  counters_ = counters;
  counters_.updates_per_level.resize(std::max(counters.updates_per_level.size(), levels));
  counters_.workers.resize(
      std::max(counters.workers.size(), static_cast<std::size_t>(all_workers_)));
}

void Observer::begin_window(const Window& window, Hierarchy& hierarchy, const StepRules& rules) {
  // Room for the trace is made before the window, since a run without a trace takes no time for it.
  if (recorder_.is_on()) recorder_.begin_window(window, hierarchy.mesh(), rules);
  patches_.follow(hierarchy.mesh());
  first_ = window.first;
  window_begin_ = phase_end_ = read_ticks();
  for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
    Worker& own = workers_[worker];
    own.idle_since = window_begin_;
    own.steals = steals(static_cast<int>(worker));
    own.steps.assign(static_cast<std::size_t>(window.count), {});
  }
}

/// What a trace knows of a piece's begin beside the time.
void Observer::note_queues(int worker, std::uint64_t steals, PieceRecord& record) const {
  record.note_no_queues();
  record.steals = static_cast<std::uint16_t>(std::min<std::uint64_t>(steals, UINT16_MAX));
  if (runtime_ == nullptr) return;
  record.runnable = static_cast<std::uint32_t>(
      std::min<std::size_t>(runtime_->ready(worker), PieceRecord::kUnknownRunnable - 1));
  record.io_in_flight = static_cast<std::uint16_t>(
      std::min<std::size_t>(runtime_->io_in_flight(), PieceRecord::kUnknownIo - 1));
}

void Observer::note_phase(int base_step) {
  const auto earlier = [](const Worker& a, const Worker& b) { return a.idle_since < b.idle_since; };
  const Worker& last = *std::max_element(workers_.begin(), workers_.end(), earlier);
  for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
    const Worker& own = workers_[worker];
    if (&own == &last) continue;
    // What it has waited before this phase was noted then.
    note_wait(elapsed(std::max(own.idle_since, phase_end_), last.idle_since),
              {0.0, base_step, static_cast<int>(worker), WaitCause::kLevel, own.patch, last.patch});
  }
  phase_end_ = last.idle_since;
}

std::vector<WorkerActivity> Observer::activity() const {
  const double tick = clock_.seconds_per_tick();
  std::vector<WorkerActivity> all;
  all.reserve(workers_.size());
  for (const Worker& worker : workers_) all.push_back(worker.now.read(read_ticks(), tick));
  return all;
}

void Observer::report_window(Gathering& all) {
  window_end_ = read_ticks();
  seconds_per_tick_ = clock_.seconds_per_tick();
  for (Worker& own : workers_) own.steps.back().wait += elapsed(own.idle_since, window_end_);
  std::vector<PatchValue<StepLoad>> loads;
  const std::size_t steps = workers_.front().steps.size();
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
      const Tally& tally = workers_[worker].steps[step];
      const int place = static_cast<int>(step) * all_workers_ + first_worker_;
      loads.push_back(
          {{},
           place + static_cast<int>(worker),
           {{tally.updates, seconds(tally.busy), seconds(tally.wait), tally.steals}, tally.cfl}});
    }
  }
  all.add(loads);
  std::vector<PatchValue<PatchWait>> waits;
  for (Worker& own : workers_) {
    for (KeptWait& kept : own.waits) {
      if (kept.ticks == 0) continue;
      waits.push_back({{}, communicator_.rank(), kept.wait});
      waits.back().value.seconds = seconds(kept.ticks);
      waits.back().value.worker += first_worker_;
      kept = {};
    }
  }
  all.add(waits);
}

void Observer::end_window(const Window& window, std::vector<std::size_t> blocks, Gathering& all) {
  take_steps(all);
  take_waits(all);
  std::uint64_t expected = 0;
  for (int level = 0; level < window.levels; ++level) {
    const std::uint64_t of_level = patches_.level(level).size() * kPatchPoints *
                                   static_cast<std::uint64_t>(window.steps(level));
    counters_.updates_per_level[static_cast<std::size_t>(level)] += of_level;
    expected += of_level;
  }
  ensure(updates_ == expected,
         "base steps {} to {} made {} point updates of {}: patches were left out", window.first,
         window.first + window.count - 1, updates_, expected);
  recorder_.end_window(window_begin_, window_end_, std::move(blocks));
}

void Observer::drop_window() {
  for (Worker& own : workers_) own.waits = {};
  forget_short_waits();
  patches_.for_each([](PatchWork& work) { work.base_step = -1; });
}

void Observer::take_steps(Gathering& all) {
  const std::vector<PatchValue<StepLoad>> loads = all.take<StepLoad>();
  const std::size_t steps = workers_.front().steps.size();
  updates_ = 0;
  for (std::size_t step = 0, at = 0; step < steps; ++step) {
    BaseStepLoad load{first_ + static_cast<int>(step), {}};
    std::uint64_t largest = 0;
    std::uint64_t sum = 0;
    for (WorkerLoad& total :
         std::span(counters_.workers).first(static_cast<std::size_t>(all_workers_))) {
      const StepLoad& own = loads[at++].value;
      counters_.largest_cfl = std::max(counters_.largest_cfl, own.cfl);
      load.workers.push_back(own.load);
      total += load.workers.back();
      largest = std::max(largest, load.workers.back().updates);
      sum += load.workers.back().updates;
    }
    counters_.sum_of_largest += largest;
    counters_.sum_of_means += static_cast<double>(sum) / all_workers_;
    updates_ += sum;
    if (kept_.size() == kKeptSteps) kept_.pop_front();
    kept_.push_back(std::move(load));
  }
}

std::vector<PatchValue<MeasuredCost>> Observer::take_costs() {
  std::vector<PatchValue<MeasuredCost>> costs;
  for (int level = 0; !patches_.level(level).empty(); ++level) {
    for (std::size_t slot = 0; slot < patches_.level(level).size(); ++slot) {
      const std::uint64_t ticks = std::exchange(patches_.at(level, slot).all_ticks, 0);
      if (ticks == 0) continue;
      costs.push_back({patches_.id(level, slot), 0, {seconds(ticks), communicator_.rank()}});
    }
  }
  return costs;
}

/// The least of the waits kept makes room.
void Observer::note_wait(std::uint64_t ticks, const PatchWait& wait) {
  Worker& own = workers_[static_cast<std::size_t>(wait.worker)];
  if (ticks <= own.shortest_kept) return;
  const auto shorter = [](const KeptWait& a, const KeptWait& b) { return a.ticks < b.ticks; };
  *std::min_element(own.waits.begin(), own.waits.end(), shorter) = {ticks, wait};
  own.shortest_kept = std::min_element(own.waits.begin(), own.waits.end(), shorter)->ticks;
}

void Observer::take_waits(Gathering& all) {
  std::vector<PatchWait>& longest = counters_.longest_waits;
  for (const PatchValue<PatchWait>& wait : all.take<PatchWait>()) {
    longest.push_back(wait.value);
  }
  std::stable_sort(longest.begin(), longest.end(),
                   [](const PatchWait& a, const PatchWait& b) { return a.seconds > b.seconds; });
  if (longest.size() > WorkCounters::kLongestWaits) longest.resize(WorkCounters::kLongestWaits);
  forget_short_waits();
}

/// Waits that are shorter than all of the longest ones need not be kept any more.
void Observer::forget_short_waits() {
  const std::vector<PatchWait>& longest = counters_.longest_waits;
  std::uint64_t ticks = 0;
  if (longest.size() == WorkCounters::kLongestWaits && seconds_per_tick_ > 0.0) {
    ticks = static_cast<std::uint64_t>(longest.back().seconds / seconds_per_tick_);
  }
  for (Worker& own : workers_) own.shortest_kept = ticks;
}

}  // namespace kumiko::amr
