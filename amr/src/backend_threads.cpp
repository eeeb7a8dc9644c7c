#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "backends.hpp"

namespace kumiko::amr {

namespace {

class ThreadsBackend final : public Backend {
 public:
  explicit ThreadsBackend(int workers) : runtime_(runtime::Options{.workers = workers}) {}

  std::string_view name() const override { return "threads"; }
  int workers() const override { return runtime_.workers(); }
  void run(const std::function<void()>& driver) override { runtime_.run(driver); }
  std::uint64_t steals() const override { return runtime_.statistics().total().steals; }

 private:
  void run_tasks(const Level& level, const PatchTask& task) override {
    runtime::for_each_index(level.size(), [&task](std::size_t slot) {
      task(slot, runtime::this_thread::worker_index());
    });
  }

  runtime::Runtime runtime_;
};

}  // namespace

std::unique_ptr<Backend> make_threads_backend(int workers) {
  return std::make_unique<ThreadsBackend>(workers);
}

}  // namespace kumiko::amr
