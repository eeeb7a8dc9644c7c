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
#pragma omp parallel num_threads(workers())
    {
      const int worker = omp_get_thread_num();
      const int threads = omp_get_num_threads();
      task(chunk_begin(worker, level.size(), threads),
           chunk_begin(worker + 1, level.size(), threads), worker);
    }
  }
};

}  // namespace

std::unique_ptr<Backend> make_openmp_backend(int workers) {
  return std::make_unique<OpenMpBackend>(workers);
}

}  // namespace kumiko::amr
