#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/require.hpp>

#include "backend/backends.hpp"

namespace kumiko::amr {

namespace {

/// Keeps the exception of the lowest slot of those whose tasks throw.
class LowestException {
 public:
  template <class Task>
  void guard(std::size_t slot, Task task) {
    try {
      task();
    } catch (...) {
      // No task suspends while it holds this.
      const std::lock_guard lock(mutex_);
      if (what_ && slot >= slot_) return;
      slot_ = slot;
      what_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (what_) std::rethrow_exception(what_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr what_;
  std::size_t slot_ = 0;
};

}  // namespace

void Backend::for_each(const Level& level, const PatchTask& task) {
  LowestException lowest;
  const auto begin = std::chrono::steady_clock::now();
  run_tasks(level,
            [&](std::size_t slot, int worker) { lowest.guard(slot, [&] { task(slot, worker); }); });
  loop_time_ += std::chrono::steady_clock::now() - begin;
  lowest.rethrow();
}

void Backend::for_each_list(const Level& level, const ListTask& task) {
  LowestException lowest;
  const auto begin = std::chrono::steady_clock::now();
  run_lists(level, [&](std::size_t first, std::size_t last, int worker) {
    if (first == last) return;
    lowest.guard(first, [&] { task(first, last, worker); });
  });
  loop_time_ += std::chrono::steady_clock::now() - begin;
  lowest.rethrow();
}

const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names = {"threads", "pthread", "openmp", "serial"};
  return names;
}

std::unique_ptr<Backend> make_backend(std::string_view name, int workers,
                                      runtime::IdlePolicy idle) {
  require(workers >= 0, "{} workers asked for; give a positive number, or 0 for all", workers);
  if (name == "serial") {
    require(workers <= 1,
            "backend 'serial' has one worker, but {} were asked for; choose another backend",
            workers);
    return make_serial_backend();
  }
  try {
    if (name == "threads") return make_threads_backend(workers, idle);
    if (name == "pthread") return make_pthread_backend(workers);
    if (name == "openmp") return make_openmp_backend(workers);
  } catch (const std::system_error& error) {
    throw std::runtime_error(fmt::format("backend '{}' cannot start {} workers: {}; ask for fewer",
                                         name, workers, error.what()));
  }
  throw std::invalid_argument(fmt::format("backend '{}' is unknown; choose one of: {}", name,
                                          fmt::join(backend_names(), ", ")));
}

}  // namespace kumiko::amr
