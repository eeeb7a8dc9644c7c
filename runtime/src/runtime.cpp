#include <stdexcept>
#include <string>

#include <kumiko/runtime/cpu_budget.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "sanitizer.hpp"
#include "scheduler.hpp"
#include "tunables.hpp"

namespace kumiko::runtime {

namespace {

namespace tunables = detail::tunables;

int checked_worker_count(int requested) {
  if (requested < 0) {
    throw std::invalid_argument("Runtime: " + std::to_string(requested) +
                                " workers; give a positive number, or 0 for all available cores");
  }
  return requested != 0 ? requested : available_cores();
}

std::size_t checked_stack_size(std::size_t requested) {
  if (requested < tunables::kSmallestStackSize) {
    throw std::invalid_argument("Runtime: stacks of " + std::to_string(requested) +
                                " bytes are too small; give at least " +
                                std::to_string(tunables::kSmallestStackSize));
  }
  return requested;
}

}  // namespace

std::size_t default_stack_size() noexcept {
  return detail::sanitizer::kActive ? tunables::kSanitizerStackSize : tunables::kStackSize;
}

Runtime::Runtime(Options options)
    : scheduler_(std::make_unique<detail::Scheduler>(checked_worker_count(options.workers),
                                                     checked_stack_size(options.stack_size))) {}

Runtime::~Runtime() = default;

int Runtime::workers() const noexcept { return static_cast<int>(scheduler_->worker_count()); }

Statistics Runtime::statistics() const { return scheduler_->statistics(); }

void Runtime::run_root(void (*call)(void*), void* callable) {
  scheduler_->run_root(call, callable);
}

}  // namespace kumiko::runtime
