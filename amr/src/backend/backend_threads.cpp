#include <algorithm>
#include <chrono>

#include <kumiko/amr/placement.hpp>
#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "backend/backends.hpp"

namespace kumiko::amr {

namespace {

/// Adaptive, for workers who wait for the driver between the loops of a regrid: some hundred
/// microseconds each, and who sleeps through them is woken for every loop.
struct ThroughRegrids : runtime::policy::Adaptive {
  static constexpr std::chrono::microseconds kSearchTime{500};

  std::chrono::nanoseconds search_time(const runtime::policy::Surroundings& around) const noexcept {
    return around.oversubscribed ? std::chrono::microseconds(0) : kSearchTime;
  }
};

runtime::policy::AnyWaiting waiting_of(runtime::IdlePolicy idle) {
  if (idle == runtime::IdlePolicy::kAdaptive) return ThroughRegrids();
  if (idle == runtime::IdlePolicy::kPressure) {
    return runtime::policy::Pressure(ThroughRegrids::kSearchTime);
  }
  return idle;
}

class ThreadsBackend final : public Backend {
 public:
  ThreadsBackend(int workers, runtime::IdlePolicy idle)
      : Backend("threads", std::make_unique<runtime::Runtime>(
                               runtime::Options{.workers = workers, .idle = waiting_of(idle)})) {}

 private:
  /// Every worker is offered an equal part, the same one in every loop over a level, so that it
  /// may find its patches in its caches; those who are done take some of the others'.
  void deal_out(const Level& level, bool in_lists, const ListTask& task) override {
    const int here = runtime::this_thread::worker_index();
    runtime::TaskGroup others;
    for (int worker = 0; worker < workers(); ++worker) {
      if (worker == here || static_cast<std::size_t>(worker) >= level.own().size()) continue;
      others.run_near(worker,
                      [&, worker] { run_part(worker, level.own().size(), in_lists, task); });
    }
    run_part(here, level.own().size(), in_lists, task);
    others.wait();
  }

  /// Lists are several for a worker, so that those who are done can take some of the others'.
  void run_part(int worker, std::size_t slots, bool in_lists, const ListTask& task) const {
    const std::size_t begin = chunk_begin(worker, slots, workers());
    const std::size_t size = chunk_begin(worker + 1, slots, workers()) - begin;
    constexpr std::size_t kListsPerWorker = 4;
    const std::size_t lists = in_lists ? std::min(size, kListsPerWorker) : size;
    runtime::for_each_index(lists, [&](std::size_t at) {
      const auto first = [&](std::size_t list) {
        return begin + chunk_begin(static_cast<int>(list), size, static_cast<int>(lists));
      };
      task(first(at), first(at + 1), runtime::this_thread::worker_index());
    });
  }
};

}  // namespace

std::unique_ptr<Backend> make_threads_backend(int workers, runtime::IdlePolicy idle) {
  return std::make_unique<ThreadsBackend>(workers, idle);
}

}  // namespace kumiko::amr
