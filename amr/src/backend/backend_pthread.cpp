#include <thread>
#include <vector>

#include <kumiko/amr/placement.hpp>
#include <kumiko/runtime/cpu_budget.hpp>

#include "backend/backends.hpp"
#include "backend/spin_barrier.hpp"

namespace kumiko::amr {

namespace {

/// The thesis's static decomposition. The driver's thread is worker 0; the others wait at a barrier
/// for the next phase, work on their strip, and meet the driver at the barrier again. Who waits
/// spins for a while where there is a core for each, as OpenMP's threads do.
class PthreadBackend final : public Backend {
 public:
  explicit PthreadBackend(int workers)
      : Backend("pthread", workers), barrier_(workers, workers <= runtime::available_cores()) {
    threads_.reserve(static_cast<std::size_t>(workers - 1));
    try {
      for (int worker = 1; worker < workers; ++worker) {
        threads_.emplace_back([this, worker] { serve(worker); });
      }
    } catch (...) {
      // Those that started wait at the barrier for those that did not.
      const auto missing = static_cast<std::size_t>(workers - 1) - threads_.size();
      for (std::size_t n = 0; n < missing; ++n) barrier_.arrive();
      stop();
      throw;
    }
  }

  ~PthreadBackend() override { stop(); }

 private:
  void deal_out(const Level& level, bool, const ListTask& task) override {
    level_ = &level;
    task_ = &task;
    barrier_.arrive_and_wait();
    work(0);
    barrier_.arrive_and_wait();
  }

  void stop() {
    level_ = nullptr;
    barrier_.arrive_and_wait();
    for (std::thread& thread : threads_) thread.join();
  }

  void serve(int worker) {
    for (;;) {
      barrier_.arrive_and_wait();
      if (level_ == nullptr) return;
      work(worker);
      barrier_.arrive_and_wait();
    }
  }

  /// The patches are sorted by j, so a strip's patches follow one another.
  void work(int worker) const { (*task_)(first_slot(worker), first_slot(worker + 1), worker); }

  /// The first own patch of the level whose centre lies in a strip, or above it.
  std::size_t first_slot(int strip) const {
    std::size_t low = 0;
    std::size_t high = level_->own().size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const PatchId& patch = level_->patch(level_->own()[middle]).id();
      if (strip_of(patch.j, level_->patches_y(), workers()) < strip) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  // Written by the driver before the first barrier of a phase and read by the others after it.
  const Level* level_ = nullptr;
  const ListTask* task_ = nullptr;
  SpinBarrier barrier_;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Backend> make_pthread_backend(int workers) {
  return std::make_unique<PthreadBackend>(workers > 0 ? workers : runtime::available_cores());
}

}  // namespace kumiko::amr
