#include "io/service.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <stop_token>
#include <system_error>

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/scheduler.hpp"
#include "core/worker.hpp"
#include "io/epoll_engine.hpp"
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
  return std::make_unique<EpollEngine>(scheduler);
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

UniqueDescriptor checked(int descriptor, const char* what) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  return UniqueDescriptor(descriptor);
}

void watch_descriptor(int epoll, int descriptor, std::uint64_t data) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = data;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "no epoll for the workers' I/O");
  }
}

}  // namespace

IoEngine IoService::resolve(IoEngine engine) noexcept {
  if (engine != IoEngine::kAuto) return engine;
  static const IoEngine best = uring_refusal() == 0 ? IoEngine::kIoUring : IoEngine::kEpoll;
  return best;
}

IoService::IoService(Scheduler& scheduler, IoEngine engine)
    : scheduler_(scheduler),
      process_(getpid()),
      kind_(resolve(engine)),
      engine_(make_engine(scheduler, kind_)),
      blocking_(tunables::kBlockingThreads, "kumiko-block"),
      all_(checked(epoll_create1(EPOLL_CLOEXEC), "no epoll for the workers' I/O")),
      bell_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "no eventfd for the workers' I/O")),
      workers_(scheduler.worker_count()) {
  for (std::size_t i = 0; i < scheduler.worker_count(); ++i) {
    watch_descriptor(all_.get(), engine_->pollable(i), i);
    scheduler.worker(i).set_bell(bell_.get());
  }
  watch_descriptor(all_.get(), bell_.get(), scheduler.worker_count());
  enlist();
  try {
    timer_ = std::thread([this] { keep_time(); });
  } catch (...) {
    delist();
    throw;
  }
  pthread_setname_np(timer_.native_handle(), "kumiko-io");
}

void IoService::enlist() {
  const std::lock_guard lock(registry().mutex);
  registry().services.push_back(this);
  registry().count.store(registry().services.size(), std::memory_order_relaxed);
}

void IoService::delist() noexcept {
  const std::lock_guard lock(registry().mutex);
  std::erase(registry().services, this);
  registry().count.store(registry().services.size(), std::memory_order_relaxed);
}

IoService::~IoService() {
  delist();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  timer_.join();
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
  current_worker()->io_ended().increment();
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
  current_worker()->io_ended().increment();
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
  if (last == nullptr) return Operation(Operation::Kind::kClose, descriptor).execute();
  return last->close_here(descriptor, false);
}

/// Closes the descriptor of an OS thread's call.
std::int64_t IoService::close_here(int descriptor, bool keeps_open) noexcept {
  Operation operation(Operation::Kind::kClose, descriptor);
  operation.keeps_open = keeps_open;
  if (!engine_->close(operation)) operation.wait_to_the_end();
  return operation.result();
}

void IoService::begin_wait() noexcept {
  Worker& worker = *current_worker();
  worker.io_begun().increment();
  if (is_watched()) return;
  // Like any other work, this wants somebody who looks after it. The barrier in it is also the one
  // between io_begun and resting_, see wake_timer().
  scheduler_.idle().work_appeared();
  wake_timer();
}

bool IoService::has_waits() const noexcept { return waits() != 0; }

std::size_t IoService::waits() const noexcept {
  std::uint64_t ended = 0;
  std::uint64_t begun = 0;
  // The ends are read first: each end that is counted brings its begin along.
  for (std::size_t i = 0; i < scheduler_.worker_count(); ++i) {
    ended += scheduler_.worker(i).io_ended().read();
  }
  for (std::size_t i = 0; i < scheduler_.worker_count(); ++i) {
    begun += scheduler_.worker(i).io_begun().read();
  }
  return begun - ended;
}

// --- Polling -------------------------------------------------------------------------------------

int IoService::poll_all() noexcept {
  std::array<epoll_event, tunables::kEventsPerPoll> events;
  const int count = epoll_wait(all_.get(), events.data(), static_cast<int>(events.size()), 0);
  int found = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t instance = events[static_cast<std::size_t>(i)].data.u64;
    if (instance < scheduler_.worker_count()) found += engine_->poll(instance);
  }
  return found;
}

bool IoService::watch(Parker& sleeper) noexcept {
  std::array<epoll_event, 2> events;
  for (;;) {
    if (!sleeper.begin_watch()) return true;
    const int count = epoll_wait(all_.get(), events.data(), static_cast<int>(events.size()), -1);
    if (sleeper.end_watch()) {
      // Whoever woke us has rung, or is about to: then the next watcher wakes once for nothing.
      std::uint64_t rings = 0;
      static_cast<void>(::read(bell_.get(), &rings, sizeof rings));
      return true;
    }
    for (int i = 0; i < count; ++i) {
      if (events[static_cast<std::size_t>(i)].data.u64 < scheduler_.worker_count()) return false;
      std::uint64_t rings = 0;
      static_cast<void>(::read(bell_.get(), &rings, sizeof rings));
    }
  }
}

void IoService::end_watch() noexcept {
  // release: pairs with begin_watch(). The barrier below orders it with resting_.
  watched_.store(false, std::memory_order_release);
  scheduler_.barrier().light();
  wake_timer();
}

// --- The timer -----------------------------------------------------------------------------------

void IoService::wake_timer() noexcept {
  if (!resting_.load(std::memory_order_relaxed)) return;
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_one();
}

void IoService::keep_time() noexcept {
  std::unique_lock lock(mutex_);
  int quiet_ticks = tunables::kTicksBeforeRest;
  auto period = tunables::kPollPeriod;
  while (!stopping_) {
    if (!is_needed()) {
      period = tunables::kPollPeriod;
      if (++quiet_ticks > tunables::kTicksBeforeRest) {
        rest(lock);
        quiet_ticks = 0;
      }
    } else {
      quiet_ticks = 0;
      lock.unlock();
      const bool needed = ask_for_polls();
      lock.lock();
      period = needed ? tunables::kPollPeriod : std::min(2 * period, tunables::kLongestPollPeriod);
    }
    changed_.wait_for(lock, period, [this] { return stopping_; });
  }
}

/// The timer is needed even while there is a watcher, for a worker may compute that has something
/// to hand over.
bool IoService::is_needed() const noexcept {
  if (!has_waits()) return false;
  if (!is_watched()) return true;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (engine_->has_unsubmitted(i)) return true;
  }
  return false;
}

/// Sleeps until woken, unless the timer is needed.
void IoService::rest(std::unique_lock<std::mutex>& lock) noexcept {
  woken_ = false;
  resting_.store(true, std::memory_order_relaxed);
  scheduler_.barrier().heavy();
  if (!is_needed()) changed_.wait(lock, [this] { return woken_ || stopping_; });
  resting_.store(false, std::memory_order_relaxed);
}

/// Returns whether it should look again soon: some worker does not poll often by itself.
bool IoService::ask_for_polls() noexcept {
  bool needed = false;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = scheduler_.worker(i);
    Watched& known = workers_[i];
    const std::uint64_t polls = worker.polls().read();
    const std::uint64_t news = polls - std::exchange(known.polls, polls);
    needed = needed || news < tunables::kPollsOfTheEager;
    if (news != 0) {
      known.silent_ticks = 0;
      continue;
    }
    // relaxed: a request is a hint.
    worker.requests.fetch_or(request::kPollIo, std::memory_order_relaxed);
    if (++known.silent_ticks % tunables::kTicksBeforeStandIn == 0) engine_->poll(i);
  }
  return needed;
}

}  // namespace kumiko::runtime::detail
