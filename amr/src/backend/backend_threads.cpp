#include <algorithm>

#include <kumiko/amr/placement.hpp>
#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "backend/backends.hpp"

namespace kumiko::amr {

namespace {

class ThreadsBackend final : public Backend {
 public:
  ThreadsBackend(int workers, runtime::IdlePolicy idle)
      : runtime_(runtime::Options{.workers = workers, .idle = idle}) {}

  std::string_view name() const override { return "threads"; }
  int workers() const override { return runtime_.workers(); }
  void run(const std::function<void()>& driver) override { runtime_.run(driver); }
  std::uint64_t steals(int worker) const override { return runtime_.steals(worker); }
  int ready(int worker) const override { return static_cast<int>(runtime_.ready(worker)); }
  int io_in_flight() const override { return static_cast<int>(runtime_.io_in_flight()); }
  bool has_threads() const override { return true; }
  runtime::Runtime* runtime() override { return &runtime_; }

 private:
  void run_tasks(const Level& level, const PatchTask& task) override {
    runtime::for_each_index(level.size(), [&task](std::size_t slot) {
      task(slot, runtime::this_thread::worker_index());
    });
  }

  /// In several lists a worker, so that those who are done can take some of the others'.
  void run_lists(const Level& level, const ListTask& task) override {
    constexpr int kListsPerWorker = 4;
    const int lists = static_cast<int>(
        std::min(level.size(), static_cast<std::size_t>(kListsPerWorker * runtime_.workers())));
    runtime::for_each_index(static_cast<std::size_t>(lists), [&](std::size_t at) {
      const int list = static_cast<int>(at);
      task(chunk_begin(list, level.size(), lists), chunk_begin(list + 1, level.size(), lists),
           runtime::this_thread::worker_index());
    });
  }

  runtime::Runtime runtime_;
};

}  // namespace

std::unique_ptr<Backend> make_threads_backend(int workers, runtime::IdlePolicy idle) {
  return std::make_unique<ThreadsBackend>(workers, idle);
}

}  // namespace kumiko::amr
