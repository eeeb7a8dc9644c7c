#include "io/service.hpp"

#include <cerrno>
#include <stop_token>

#include <pthread.h>
#include <unistd.h>

#include "core/scheduler.hpp"
#include "core/worker.hpp"
#include "io/epoll_engine.hpp"
#include "io/pool_files.hpp"
#include "io/uring.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

bool wait_within(Operation& operation, const io::Limits& limits) noexcept {
  const Deadline* const deadline = limits.deadline == Deadline::max() ? nullptr : &limits.deadline;
  if (!limits.stop.stop_possible()) return operation.wait(deadline);
  const std::stop_callback on_stop(limits.stop, [&operation] { operation.interrupt(); });
  return operation.wait(deadline);
}

int error_of(const io::Limits& limits) noexcept {
  return limits.stop.stop_requested() ? -ECANCELED : -ETIMEDOUT;
}

namespace {

std::unique_ptr<Engine> make_engine(Scheduler& scheduler, IoEngine kind) {
  if (kind == IoEngine::kIoUring) return make_uring_engine(scheduler);
  if (kind == IoEngine::kMixed) {
    return std::make_unique<EpollEngine>(scheduler, make_uring_files(scheduler));
  }
  return std::make_unique<EpollEngine>(scheduler, std::make_unique<PoolFiles>());
}

/// Descriptors are the process's, so whoever closes one as a plain OS thread must reach the waiters
/// of all schedulers.
struct Registry {
  std::mutex mutex;
  std::vector<IoService*> services;
  std::atomic<std::size_t> count{0};  ///< of services, a hint
};

Registry& registry() {
  static auto* const instance = [] {
    // A child process must not find it locked by a thread that it does not have.
    pthread_atfork([] { registry().mutex.lock(); }, [] { registry().mutex.unlock(); },
                   [] { registry().mutex.unlock(); });
    return new Registry;  // outlives every Runtime, static ones too
  }();
  return *instance;
}

}  // namespace

IoEngine IoService::resolve(IoEngine engine) noexcept {
  if (engine != IoEngine::kAuto) return engine;
  static const IoEngine best = uring_refusal() == 0 ? IoEngine::kMixed : IoEngine::kEpoll;
  return best;
}

IoService::IoService(Scheduler& scheduler, Pollers& pollers, IoEngine engine)
    : pollers_(pollers),
      process_(getpid()),
      engine_(make_engine(scheduler, resolve(engine))),
      blocking_(tunables::kBlockingThreads, "kumiko-block"),
      waits_(scheduler.worker_count()) {
  const std::lock_guard lock(registry().mutex);
  registry().services.push_back(this);
  registry().count.store(registry().services.size(), std::memory_order_relaxed);
}

IoService* IoService::of(const Scheduler& scheduler) noexcept {
  const Pollers* const pollers = scheduler.pollers();
  return pollers == nullptr ? nullptr : pollers->find<IoService>();
}

IoService& IoService::started(Scheduler& scheduler) {
  if (IoService* const known = of(scheduler); known != nullptr) return *known;
  Pollers& pollers = scheduler.started_pollers();
  return pollers.find_or_add<IoService>([&] {
    return std::make_unique<IoService>(scheduler, pollers, scheduler.options().io_engine);
  });
}

IoService::~IoService() {
  const std::lock_guard lock(registry().mutex);
  std::erase(registry().services, this);
  registry().count.store(registry().services.size(), std::memory_order_relaxed);
}

// --- Operations ----------------------------------------------------------------------------------

std::int64_t IoService::run(Operation& operation, const io::Limits& limits) noexcept {
  operation.is_urgent =
      limits.deadline != Deadline::max() && limits.deadline <= Deadline::clock::now();
  if (engine_->start(operation)) return operation.result();
  begin_wait();
  const bool in_time = wait_within(operation, limits);
  if (!in_time) {
    engine_->cancel(operation);
    operation.wait_to_the_end();
  }
  end_wait();
  const std::int64_t result = operation.result();
  return !in_time && result == -ECANCELED ? error_of(limits) : result;
}

std::int64_t IoService::run_call(Operation& operation) noexcept {
  return blocking_.submit(operation) ? wait_for(operation) : -EAGAIN;
}

std::int64_t IoService::run_close(Operation& operation) noexcept {
  return engine_->close(operation) ? operation.result() : wait_for(operation);
}

std::int64_t IoService::wait_for(Operation& operation) noexcept {
  begin_wait();
  operation.wait_to_the_end();
  end_wait();
  return operation.result();
}

bool IoService::is_of_this_process() const noexcept { return process_ == getpid(); }

/// relaxed: whoever has let a thread of this one know the descriptor has ordered the two.
bool IoService::has_others(const IoService* service) noexcept {
  return registry().count.load(std::memory_order_relaxed) > (service != nullptr ? 1U : 0U);
}

/// The last engine closes it; of the others only the waiters fail. In a child process those of its
/// parent are there too.
std::int64_t IoService::close_everywhere(int descriptor) noexcept {
  const std::lock_guard lock(registry().mutex);
  IoService* last = nullptr;
  for (IoService* const service : registry().services) {
    if (!service->is_of_this_process()) continue;
    if (last != nullptr) last->close_here(descriptor, true);
    last = service;
  }
  if (last == nullptr)
    return Operation(Request{.kind = Request::Kind::kClose, .descriptor = descriptor}).execute();
  return last->close_here(descriptor, false);
}

std::int64_t IoService::close_here(int descriptor, bool keeps_open) noexcept {
  Operation operation(
      Request{.kind = Request::Kind::kClose, .descriptor = descriptor, .keeps_open = keeps_open});
  if (!engine_->close(operation)) operation.wait_to_the_end();
  return operation.result();
}

void IoService::begin_wait() noexcept {
  waits_[static_cast<std::size_t>(current_worker()->index())].begun.increment();
  pollers_.wait_begun();
}

void IoService::end_wait() noexcept {
  waits_[static_cast<std::size_t>(current_worker()->index())].ended.increment();
}

std::size_t IoService::waits() const noexcept {
  std::uint64_t ended = 0;
  std::uint64_t begun = 0;
  // The ends are read first: each end that is counted brings its begin along.
  for (const Waits& worker : waits_) ended += worker.ended.read();
  for (const Waits& worker : waits_) begun += worker.begun.read();
  return begun - ended;
}

}  // namespace kumiko::runtime::detail
