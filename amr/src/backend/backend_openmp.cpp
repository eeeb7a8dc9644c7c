#include <cstdlib>
#include <system_error>

#include <omp.h>

#include <kumiko/amr/placement.hpp>
#include <kumiko/runtime/cpu_budget.hpp>

#include "backend/backends.hpp"

namespace kumiko::amr {

namespace {

/// Whether OMP_SCHEDULE asks OpenMP to deal patches out while a loop runs. Without the variable it
/// does not, whatever OpenMP takes for its default.
bool is_dynamic_by_environment() {
  if (std::getenv("OMP_SCHEDULE") == nullptr) return false;
  omp_sched_t kind = omp_sched_static;
  int chunk = 0;
  omp_get_schedule(&kind, &chunk);
  return (static_cast<unsigned>(kind) & ~static_cast<unsigned>(omp_sched_monotonic)) !=
         static_cast<unsigned>(omp_sched_static);
}

class OpenMpBackend final : public Backend {
 public:
  explicit OpenMpBackend(int workers)
      : Backend("openmp", workers > 0 ? workers : runtime::available_cores()) {
    // A loop must have as many threads as the statistics say.
    omp_set_dynamic(0);
    if (omp_get_thread_limit() < this->workers()) {
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                              "OMP_THREAD_LIMIT is lower");
    }
  }

 private:
  void deal_out(const Level& level, bool, const ListTask& task) override {
    if (is_dynamic_) {
#pragma omp parallel for num_threads(workers()) schedule(runtime)
      for (std::size_t slot = 0; slot < level.size(); ++slot) {
        task(slot, slot + 1, omp_get_thread_num());
      }
      return;
    }
#pragma omp parallel num_threads(workers())
    {
      const int worker = omp_get_thread_num();
      const int threads = omp_get_num_threads();
      task(chunk_begin(worker, level.size(), threads),
           chunk_begin(worker + 1, level.size(), threads), worker);
    }
  }

  const bool is_dynamic_ = is_dynamic_by_environment();  ///< else each worker has its part
};

}  // namespace

std::unique_ptr<Backend> make_openmp_backend(int workers) {
  return std::make_unique<OpenMpBackend>(workers);
}

}  // namespace kumiko::amr
