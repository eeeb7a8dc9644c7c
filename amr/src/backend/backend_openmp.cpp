#include <cstdlib>
#include <regex>
#include <string>
#include <system_error>
#include <vector>

#include <omp.h>
#include <sched.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/placement.hpp>
#include <kumiko/amr/require.hpp>
#include <kumiko/runtime/cpu_budget.hpp>

#include "backend/backends.hpp"

namespace kumiko::amr {

namespace {

/// What OpenMP would say of to stderr, and do without.
void check_schedule(const std::string& text) {
  static const std::regex known(
      R"(\s*((non)?monotonic\s*:\s*)?(static|dynamic|guided|auto)\s*(,\s*[1-9]\d*\s*)?)",
      std::regex::icase);
  require(std::regex_match(text, known),
          "OMP_SCHEDULE is '{}'; set it to static, dynamic, guided or auto, with ',CHUNK' for "
          "chunks of CHUNK patches, or unset it",
          text);
}

/// Whether OMP_SCHEDULE asks OpenMP to deal patches out while a loop runs. Without the variable it
/// does not, whatever OpenMP takes for its default.
bool is_dynamic_by_environment() {
  const char* const text = std::getenv("OMP_SCHEDULE");
  if (text == nullptr) return false;
  check_schedule(text);
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
      for (std::size_t slot = 0; slot < level.own().size(); ++slot) {
        task(slot, slot + 1, omp_get_thread_num());
      }
      return;
    }
#pragma omp parallel num_threads(workers())
    {
      const int worker = omp_get_thread_num();
      const int threads = omp_get_num_threads();
      task(chunk_begin(worker, level.own().size(), threads),
           chunk_begin(worker + 1, level.own().size(), threads), worker);
    }
  }

  const bool is_dynamic_ = is_dynamic_by_environment();  ///< else each worker has its part
};

}  // namespace

void use_all_places() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> processors;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    processors.resize(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, processors.data());
    for (const int processor : processors) {
      if (processor < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(processor), &set);
    }
  }
  if (CPU_COUNT(&set) > 0) sched_setaffinity(0, sizeof set, &set);
}

std::unique_ptr<Backend> make_openmp_backend(int workers) {
  return std::make_unique<OpenMpBackend>(workers);
}

}  // namespace kumiko::amr
