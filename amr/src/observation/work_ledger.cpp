#include "observation/work_ledger.hpp"

#include <algorithm>

namespace kumiko::amr {

WorkerActivity CurrentPiece::read(std::uint64_t now, double seconds_per_tick) const {
  for (;;) {
    const std::uint64_t version = version_.load(std::memory_order_acquire);
    WorkerActivity activity;
    activity.is_busy = (version & 1U) != 0;
    std::uint64_t since = 0;
    if (activity.is_busy) {
      const std::uint64_t place = place_.load(std::memory_order_acquire);
      const std::uint64_t task = task_.load(std::memory_order_acquire);
      since = begun_.load(std::memory_order_acquire);
      const auto what = static_cast<std::uint32_t>(task >> 32U);
      activity.patch = {static_cast<int>(what >> 2U), static_cast<std::int32_t>(place),
                        static_cast<std::int32_t>(place >> 32U)};
      activity.kind = static_cast<PieceKind>(what & 3U);
      activity.base_step = static_cast<std::int32_t>(task);
    } else {
      since = idle_since_.load(std::memory_order_acquire);
    }
    activity.seconds = static_cast<double>(elapsed(since, now)) * seconds_per_tick;
    if (version_.load(std::memory_order_acquire) == version) return activity;
  }
}

WorkLedger::WorkLedger(const Backend& backend, int levels)
    : backend_(backend),
      workers_(static_cast<std::size_t>(backend.workers())),
      begin_ticks_(read_ticks()),
      begin_time_(std::chrono::steady_clock::now()) {
  for (Worker& own : workers_) own.now.start_idle(begin_ticks_);
  counters_.updates_per_level.resize(static_cast<std::size_t>(levels));
  counters_.workers.resize(workers_.size());
}

void WorkLedger::resume(const WorkCounters& counters) {
  const std::size_t levels = counters_.updates_per_level.size();
  counters_ = counters;
  counters_.updates_per_level.resize(std::max(counters.updates_per_level.size(), levels));
  counters_.workers.resize(std::max(counters.workers.size(), workers_.size()));
}

void WorkLedger::begin_window(int first, int count) {
  first_ = first;
  const std::uint64_t now = read_ticks();
  phase_end_ = now;
  window_begin_ = now;
  for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
    Worker& own = workers_[worker];
    own.idle_since = now;
    own.steals = backend_.steals(static_cast<int>(worker));
    own.steps.assign(static_cast<std::size_t>(count), {});
  }
}

void WorkLedger::note_phase(int base_step) {
  const auto earlier = [](const Worker& a, const Worker& b) { return a.idle_since < b.idle_since; };
  const Worker& last = *std::max_element(workers_.begin(), workers_.end(), earlier);
  for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
    const Worker& own = workers_[worker];
    if (&own == &last) continue;
    // What it has waited before this phase was noted then.
    note_wait(static_cast<int>(worker),
              elapsed(std::max(own.idle_since, phase_end_), last.idle_since),
              {0.0, base_step, static_cast<int>(worker), WaitCause::kLevel, own.patch, last.patch});
  }
  phase_end_ = last.idle_since;
}

double WorkLedger::measure_tick() const {
  const std::chrono::duration<double> run = std::chrono::steady_clock::now() - begin_time_;
  const std::uint64_t ticks = elapsed(begin_ticks_, read_ticks());
  return ticks > 0 ? run.count() / static_cast<double>(ticks) : 0.0;
}

std::vector<WorkerActivity> WorkLedger::activity() const {
  const double tick = measure_tick();
  std::vector<WorkerActivity> all;
  all.reserve(workers_.size());
  for (const Worker& worker : workers_) all.push_back(worker.now.read(read_ticks(), tick));
  return all;
}

std::uint64_t WorkLedger::end_window() {
  const std::uint64_t now = read_ticks();
  window_end_ = now;
  seconds_per_tick_ = measure_tick();
  for (Worker& own : workers_) own.steps.back().wait += elapsed(own.idle_since, now);
  std::uint64_t updates = 0;
  for (std::size_t step = 0; step < workers_.front().steps.size(); ++step) {
    updates += close_step(step);
  }
  gather_waits();
  return updates;
}

std::uint64_t WorkLedger::close_step(std::size_t step) {
  BaseStepLoad load{first_ + static_cast<int>(step), {}};
  std::uint64_t largest = 0;
  std::uint64_t sum = 0;
  for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
    const Tally& tally = workers_[worker].steps[step];
    largest = std::max(largest, tally.updates);
    sum += tally.updates;
    load.workers.push_back({tally.updates, seconds(tally.busy), seconds(tally.wait), tally.steals});
    counters_.workers[worker] += load.workers.back();
  }
  counters_.sum_of_largest += largest;
  counters_.sum_of_means += static_cast<double>(sum) / static_cast<double>(workers_.size());
  if (kept_.size() == kKeptSteps) kept_.pop_front();
  kept_.push_back(std::move(load));
  return sum;
}

/// The least of the waits kept makes room.
void WorkLedger::keep(Worker& own, std::uint64_t ticks, const PatchWait& wait) {
  const auto shorter = [](const KeptWait& a, const KeptWait& b) { return a.ticks < b.ticks; };
  *std::min_element(own.waits.begin(), own.waits.end(), shorter) = {ticks, wait};
  own.shortest_kept = std::min_element(own.waits.begin(), own.waits.end(), shorter)->ticks;
}

void WorkLedger::gather_waits() {
  std::vector<PatchWait>& longest = counters_.longest_waits;
  for (Worker& own : workers_) {
    for (KeptWait& kept : own.waits) {
      if (kept.ticks == 0) continue;
      longest.push_back(kept.wait);
      longest.back().seconds = seconds(kept.ticks);
      kept = {};
    }
  }
  std::stable_sort(longest.begin(), longest.end(),
                   [](const PatchWait& a, const PatchWait& b) { return a.seconds > b.seconds; });
  if (longest.size() > WorkCounters::kLongestWaits) longest.resize(WorkCounters::kLongestWaits);
  if (longest.size() < WorkCounters::kLongestWaits || seconds_per_tick_ == 0.0) return;
  // What is shorter than all of these need not be kept any more.
  for (Worker& own : workers_) {
    own.shortest_kept = static_cast<std::uint64_t>(longest.back().seconds / seconds_per_tick_);
  }
}

}  // namespace kumiko::amr
