#include <fmt/core.h>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "backends.hpp"

namespace kumiko::amr {

namespace {

class ThreadsBackend final : public Backend {
 public:
  ThreadsBackend(int workers, runtime::IdlePolicy idle)
      : runtime_(runtime::Options{.workers = workers, .idle = idle}),
        can_trace_(runtime::sleeps(idle)) {}

  std::string_view name() const override { return "threads"; }
  int workers() const override { return runtime_.workers(); }
  void run(const std::function<void()>& driver) override { runtime_.run(driver); }
  std::uint64_t steals(int worker) const override { return runtime_.steals(worker); }
  bool has_threads() const override { return true; }
  runtime::Runtime* runtime() override { return &runtime_; }

  void name_thread(const PatchId& id) override {
    if (!tracing_) return;
    runtime::this_thread::set_name(fmt::format("L{} ({}, {})", id.level, id.i, id.j));
  }

  bool can_trace() const override { return can_trace_; }
  bool is_tracing() const override { return tracing_; }

  void start_trace(std::size_t records) override {
    runtime_.start_trace(records);
    tracing_ = true;
  }

  void stop_trace(std::ostream& out) override {
    tracing_ = false;
    runtime_.stop_trace(out);
  }

 private:
  void run_tasks(const Level& level, const PatchTask& task) override {
    runtime::for_each_index(level.size(), [this, &level, &task](std::size_t slot) {
      name_thread(level.patch(slot).id());
      task(slot, runtime::this_thread::worker_index());
    });
  }

  runtime::Runtime runtime_;
  bool can_trace_;
  bool tracing_ = false;  ///< changed outside run() only
};

}  // namespace

std::unique_ptr<Backend> make_threads_backend(int workers, runtime::IdlePolicy idle) {
  return std::make_unique<ThreadsBackend>(workers, idle);
}

}  // namespace kumiko::amr
