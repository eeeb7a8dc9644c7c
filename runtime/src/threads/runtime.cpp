#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <poll.h>
#include <unistd.h>

#include <kumiko/runtime/cpu_budget.hpp>
#include <kumiko/runtime/policy/stealing_table.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "chaos/chaos.hpp"
#include "core/scheduler.hpp"
#include "core/source_poller.hpp"
#include "core/worker.hpp"
#include "diagnosis/report.hpp"
#include "io/service.hpp"
#include "io/uring.hpp"
#include "stack/sanitizer.hpp"
#include "trace/tracer.hpp"
#include "tunables.hpp"

namespace kumiko::runtime {

namespace {

namespace tunables = detail::tunables;

std::uint64_t chaos_seed_of_environment() {
  const char* const text = std::getenv("KUMIKO_CHAOS_SEED");
  if (text == nullptr || *text == '\0') return 0;
  std::uint64_t seed = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, seed);
  if (rest != end || error != std::errc()) {
    throw std::invalid_argument("KUMIKO_CHAOS_SEED is '" + std::string(text) +
                                "'; give a number from 0 to 2^64 - 1, or 0 for none");
  }
  return seed;
}

IoEngine io_engine_of_environment() {
  const char* const text = std::getenv("KUMIKO_IO_ENGINE");
  const std::string_view name = text == nullptr ? "" : text;
  if (name.empty() || name == "auto") return IoEngine::kAuto;
  if (name == "io_uring") return IoEngine::kIoUring;
  if (name == "epoll") return IoEngine::kEpoll;
  if (name == "mixed") return IoEngine::kMixed;
  throw std::invalid_argument("KUMIKO_IO_ENGINE is '" + std::string(name) +
                              "'; give auto, mixed, io_uring or epoll");
}

IoEngine checked(IoEngine engine) {
  if (engine == IoEngine::kAuto) engine = io_engine_of_environment();
  if (engine != IoEngine::kIoUring && engine != IoEngine::kMixed) return engine;
  if (const int refusal = detail::uring_refusal(); refusal != 0) {
    throw std::system_error(refusal, std::generic_category(),
                            "Runtime: io_uring cannot be used here; choose epoll, or auto");
  }
  return engine;
}

policy::AnyStealing stealing_of_environment() {
  const char* const text = std::getenv("KUMIKO_STEALING");
  const std::string_view name = text == nullptr ? "" : text;
  if (name.empty()) return {};
  if (policy::AnyStealing known = policy::stealing_by(name)) return known;
  std::string names;
  for (const policy::NamedStealing& row : policy::kStealingTable) {
    names += (names.empty() ? "" : " or ") + std::string(row.name);
  }
  throw std::invalid_argument("KUMIKO_STEALING is '" + std::string(name) + "'; give " + names);
}

Options checked(Options options) {
  if (options.workers < 0) {
    throw std::invalid_argument("Runtime: " + std::to_string(options.workers) +
                                " workers; give a positive number, or 0 for all available cores");
  }
  if (options.workers > tunables::kMostWorkers) {
    throw std::invalid_argument("Runtime: " + std::to_string(options.workers) +
                                " workers; give at most " + std::to_string(tunables::kMostWorkers));
  }
  if (options.stack_size < tunables::kSmallestStackSize ||
      options.stack_size > tunables::kLargestStackSize) {
    throw std::invalid_argument("Runtime: stacks of " + std::to_string(options.stack_size) +
                                " bytes; give at least " +
                                std::to_string(tunables::kSmallestStackSize) + " and at most " +
                                std::to_string(tunables::kLargestStackSize));
  }
  if (options.deadlock_report_after.count() < 0) {
    throw std::invalid_argument("Runtime: deadlock_report_after is negative; give 0 for no report");
  }
  if (options.workers == 0) options.workers = available_cores();
  options.io_engine = checked(options.io_engine);
  if (options.chaos_seed == 0) options.chaos_seed = chaos_seed_of_environment();
  if (!options.steal) options.steal = stealing_of_environment();
  return options;
}

std::unique_ptr<detail::Scheduler> made_scheduler(const Options& options) {
  if (options.chaos_seed == 0) return std::make_unique<detail::Scheduler>(options);
  return std::make_unique<detail::Scheduler>(options, [&options](int worker) {
    return std::make_unique<detail::Chaos>(options.chaos_seed, worker);
  });
}

}  // namespace

std::size_t default_stack_size() noexcept {
  return detail::sanitizer::kActive ? tunables::kSanitizerStackSize : tunables::kStackSize;
}

Runtime::Runtime(Options options)
    : tracer_(std::make_unique<detail::Tracer>()),
      scheduler_(made_scheduler(checked(std::move(options)))),
      process_(getpid()) {}

Runtime::~Runtime() {
  // After a fork the child has this object, but neither the workers nor a use for their locks.
  if (process_ != getpid()) {
    static_cast<void>(scheduler_.release());
    static_cast<void>(tracer_.release());
    return;
  }
  if (const detail::Worker* const worker = detail::current_worker();
      worker != nullptr && &worker->scheduler() == scheduler_.get()) {
    detail::terminate("a Runtime is destroyed by one of its own threads, for which it would wait",
                      nullptr);
  }
}

bool MessageSource::has_news() noexcept {
  pollfd readable{pollable(), POLLIN, 0};
  return has_unsent() || ::poll(&readable, 1, 0) != 0;
}

void Runtime::attach(std::shared_ptr<MessageSource> source) {
  scheduler_->started_pollers().attach(std::make_unique<detail::SourcePoller>(std::move(source)));
}

bool Runtime::poll_soon() noexcept {
  detail::Worker* const worker = detail::current_worker();
  if (worker == nullptr || worker->running == nullptr || &worker->scheduler() != scheduler_.get())
    return false;
  if (scheduler_->pollers() == nullptr) return true;  // nor any source
  worker->polling().note_unsubmitted();
  worker->polling().leave_to_others();
  return true;
}

bool Runtime::waits_for_source() const noexcept { return scheduler_->waits_for_source(nullptr); }

bool Runtime::report_waits_for_source(const std::string& headline) noexcept {
  return scheduler_->waits_for_source(&headline);
}

std::chrono::milliseconds Runtime::deadlock_report_after() const noexcept {
  return scheduler_->options().deadlock_report_after;
}

int Runtime::workers() const noexcept { return static_cast<int>(scheduler_->worker_count()); }

IoEngine Runtime::io_engine() const noexcept {
  return detail::IoService::resolve(scheduler_->options().io_engine);
}

Statistics Runtime::statistics() const { return scheduler_->statistics(); }

std::uint64_t Runtime::steals(int worker) const noexcept {
  return scheduler_->worker(static_cast<std::size_t>(worker)).thief().steals().read();
}

std::size_t Runtime::ready(int worker) const noexcept {
  return scheduler_->worker(static_cast<std::size_t>(worker)).ready().size();
}

std::size_t Runtime::io_in_flight() const noexcept {
  const detail::IoService* const io = detail::IoService::of(*scheduler_);
  return io == nullptr ? 0 : io->waits();
}

std::size_t Runtime::deepest_stack() const { return scheduler_->deepest_stack(); }

void Runtime::start_trace(std::size_t records) {
  check_that_workers_can_sleep();
  tracer_->start(*scheduler_, records);
}

void Runtime::stop_trace(std::ostream& out) {
  check_that_workers_can_sleep();
  tracer_->stop(*scheduler_, out);
}

void Runtime::check_that_workers_can_sleep() const {
  if (scheduler_->never_sleeps()) {
    throw std::logic_error(
        "Runtime: a trace needs workers that sleep; set Options::idle to a policy that sleeps "
        "(adaptive, sleep, pressure)");
  }
  if (process_ != getpid() || detail::current_worker() != nullptr) {
    throw std::logic_error(
        "Runtime: start_trace() and stop_trace() must be called on an OS thread that is not a "
        "worker, in the process that made the Runtime");
  }
}

void Runtime::run_root(void (*call)(void*), void* callable, SourceLocation where) {
  if (process_ != getpid()) {
    throw std::logic_error(
        "Runtime::run in a child process made by fork(), which has none of the Runtime's workers; "
        "make a Runtime in the child");
  }
  scheduler_->run_root(call, callable, where);
}

}  // namespace kumiko::runtime
