#include <system_error>

#include <omp.h>

#include <kumiko/amr/placement.hpp>
#include <kumiko/runtime/cpu_budget.hpp>

#include "backend/backends.hpp"

namespace kumiko::amr {

namespace {

class OpenMpBackend final : public Backend {
 public:
  explicit OpenMpBackend(int workers)
      : workers_(workers > 0 ? workers : runtime::available_cores()) {
    // A loop must have as many threads as the statistics say.
    omp_set_dynamic(0);
    if (omp_get_thread_limit() < workers_) {
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                              "OMP_THREAD_LIMIT is lower");
    }
  }

  std::string_view name() const override { return "openmp"; }
  int workers() const override { return workers_; }
  void run(const std::function<void()>& driver) override { driver(); }

 private:
  void run_tasks(const Level& level, const PatchTask& task) override {
    run_lists(level, [&task](std::size_t first, std::size_t last, int worker) {
      for (std::size_t slot = first; slot < last; ++slot) task(slot, worker);
    });
  }

  void run_lists(const Level& level, const ListTask& task) override {
#pragma omp parallel num_threads(workers_)
    {
      const int worker = omp_get_thread_num();
      const int workers = omp_get_num_threads();
      task(chunk_begin(worker, level.size(), workers),
           chunk_begin(worker + 1, level.size(), workers), worker);
    }
  }

  int workers_;
};

}  // namespace

std::unique_ptr<Backend> make_openmp_backend(int workers) {
  return std::make_unique<OpenMpBackend>(workers);
}

}  // namespace kumiko::amr
