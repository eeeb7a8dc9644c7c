#include "core/pollers.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/scheduler.hpp"
#include "core/worker.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

namespace {

UniqueDescriptor checked(int descriptor, const char* what) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  return UniqueDescriptor(descriptor);
}

void watch_descriptor(int epoll, int descriptor, std::uint64_t data) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = data;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "no epoll for the workers' pollers");
  }
}

/// What stands for the bell in the events of all_; an instance is told by poller and worker.
constexpr std::uint64_t kBell = ~std::uint64_t{0};

}  // namespace

Pollers::Pollers(Scheduler& scheduler)
    : scheduler_(scheduler),
      all_(checked(epoll_create1(EPOLL_CLOEXEC), "no epoll for the workers' pollers")),
      bell_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "no eventfd for the workers' pollers")),
      watch_(scheduler.barrier()),
      workers_(scheduler.worker_count()) {
  watch_descriptor(all_.get(), bell_.get(), kBell);
  for (std::size_t i = 0; i < workers_.size(); ++i)
    scheduler.worker(i).idling().sleeper().set_bell(bell_.get());
  timer_ = std::thread([this] { keep_time(); });
  pthread_setname_np(timer_.native_handle(), "kumiko-poll");
}

Pollers::~Pollers() {
  watch_.alarm().stop();
  timer_.join();
}

Poller& Pollers::add(std::unique_ptr<Poller> poller, const void* kind) {
  // relaxed: additions are ordered by adding_.
  const std::size_t number = count_.load(std::memory_order_relaxed);
  if (number == kMost) {
    throw std::system_error(std::make_error_code(std::errc::not_supported),
                            "a Runtime has as many pollers as it takes; raise Pollers::kMost");
  }
  const std::size_t instances = poller->is_shared() ? 1 : workers_.size();
  std::size_t watched = 0;
  try {
    for (; watched < instances; ++watched) {
      const std::uint64_t place = number * workers_.size() + watched;
      watch_descriptor(all_.get(), poller->pollable(watched), place);
    }
  } catch (...) {
    // Closing them might not do: a child process made meanwhile has them too.
    while (watched-- > 0) {
      epoll_ctl(all_.get(), EPOLL_CTL_DEL, poller->pollable(watched), nullptr);
    }
    throw;
  }
  kinds_[number] = kind;
  pollers_[number] = std::move(poller);
  // release: pairs with the acquire in find(), for_each() and poll_all().
  count_.store(number + 1, std::memory_order_release);
  return *pollers_[number];
}

void Pollers::wait_begun() noexcept { watch_.wait_begun(scheduler_.idle()); }

bool Pollers::has_waits() const noexcept {
  std::size_t waits = 0;
  for_each([&](const Poller& poller) { waits += poller.waits(); });
  return waits != 0;
}

bool Pollers::only_a_source_has_waits() const noexcept {
  std::size_t sources = 0;
  std::size_t others = 0;
  for_each(
      [&](const Poller& poller) { (poller.is_shared() ? sources : others) += poller.waits(); });
  return sources == 1 && others == 0;
}

int Pollers::poll(std::size_t instance, bool idle) noexcept {
  int events = 0;
  for_each([&](Poller& poller) {
    events += idle && poller.is_shared() ? poller.poll_idle()
                                         : poller.poll(instance, tunables::kEventsPerPoll);
  });
  return events;
}

bool Pollers::has_unsubmitted(std::size_t instance) const noexcept {
  bool found = false;
  for_each([&](const Poller& poller) { found = found || poller.has_unsubmitted(instance); });
  return found;
}

bool Pollers::has_unsubmitted() const noexcept {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (has_unsubmitted(i)) return true;
  }
  return false;
}

int Pollers::poll_all(std::size_t self, int& passed_by) noexcept {
  // Where workers share cores, one that is awake may have none for long.
  const bool is_patient =
      passed_by < tunables::kPollsPassedBy && !scheduler_.surroundings().oversubscribed;
  bool passes_by = false;
  int found = 0;
  if (has_shared()) {
    bool instances_wait = false;
    for_each([&](Poller& poller) {
      if (poller.is_shared()) {
        found += poller.poll_idle();
      } else {
        instances_wait = instances_wait || poller.waits() != 0;
      }
    });
    // A shared one is asked more often than others, in a time that a system call would double. What
    // nobody waits for is taken where it has woken the watcher, which it would do again.
    const bool woke = woken_by_instance_.load(std::memory_order_relaxed);
    if (!instances_wait && !woke) return found;
    if (woke) woken_by_instance_.store(false, std::memory_order_relaxed);
  }
  std::array<epoll_event, tunables::kEventsPerPoll> events;
  const int count = epoll_wait(all_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t place = events[static_cast<std::size_t>(i)].data.u64;
    // The bell, or a poller that is just being added: its descriptors are watched before it counts.
    if (place / workers_.size() >= count_.load(std::memory_order_acquire)) continue;
    Poller& poller = *pollers_[place / workers_.size()];
    if (poller.is_shared()) continue;
    const std::size_t owner = place % workers_.size();
    if (is_patient && owner != self && scheduler_.worker(owner).idling().is_awake()) {
      passes_by = true;
      continue;
    }
    found += poller.poll(owner, tunables::kEventsPerPoll);
  }
  passed_by = passes_by ? passed_by + 1 : 0;
  return found;
}

bool Pollers::watch(Parker& sleeper) noexcept {
  std::array<epoll_event, 2> events;
  for (;;) {
    if (!sleeper.begin_watch()) return true;
    // A shared one says itself whether there is anything, before each sleep.
    const bool has_news = has_shared() && shared_have_news();
    const int count =
        has_news ? 0 : epoll_wait(all_.get(), events.data(), static_cast<int>(events.size()), -1);
    if (sleeper.end_watch()) {
      // Whoever woke us has rung, or is about to: then the next watcher wakes once for nothing.
      std::uint64_t rings = 0;
      static_cast<void>(::read(bell_.get(), &rings, sizeof rings));
      return true;
    }
    if (has_news) return false;
    for (int i = 0; i < count; ++i) {
      const std::uint64_t place = events[static_cast<std::size_t>(i)].data.u64;
      if (place != kBell && !is_shared(place)) {
        woken_by_instance_.store(true, std::memory_order_relaxed);
        return false;
      }
      if (place != kBell) continue;
      std::uint64_t rings = 0;
      static_cast<void>(::read(bell_.get(), &rings, sizeof rings));
    }
  }
}

bool Pollers::shared_have_news() noexcept {
  bool found = false;
  for_each([&](Poller& poller) { found = found || (poller.is_shared() && poller.has_news()); });
  return found;
}

/// Whether what stands for an instance in the events of all_ is of a shared poller.
bool Pollers::is_shared(std::uint64_t place) const noexcept {
  const std::uint64_t number = place / workers_.size();
  // acquire: as in poll_all().
  return number < count_.load(std::memory_order_acquire) && pollers_[number]->is_shared();
}

// --- The timer -----------------------------------------------------------------------------------

void Pollers::keep_time() noexcept {
  Alarm& alarm = watch_.alarm();
  Alarm::Lock lock = alarm.lock();
  int quiet_ticks = tunables::kTicksBeforeRest;
  auto period = tunables::kPollPeriod;
  while (!alarm.is_stopping()) {
    if (!watch_.needs_timer(*this)) {
      period = tunables::kPollPeriod;
      if (++quiet_ticks > tunables::kTicksBeforeRest) {
        watch_.rest(lock, *this);
        quiet_ticks = 0;
      }
    } else {
      quiet_ticks = 0;
      lock.unlock();
      const bool needed = ask_for_polls();
      lock.lock();
      period = needed ? tunables::kPollPeriod : std::min(2 * period, tunables::kLongestPollPeriod);
    }
    alarm.wait_for(lock, period);
  }
}

/// Returns whether it should look again soon: some worker does not poll often by itself.
bool Pollers::ask_for_polls() noexcept {
  bool needed = false;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = scheduler_.worker(i);
    Watched& known = workers_[i];
    const std::uint64_t polls = worker.polling().polls().read();
    const std::uint64_t news = polls - std::exchange(known.polls, polls);
    needed = needed || news < tunables::kPollsOfTheEager;
    if (news != 0) {
      known.silent_ticks = 0;
      continue;
    }
    // relaxed: a request is a hint.
    worker.requests.fetch_or(request::kPoll, std::memory_order_relaxed);
    if (++known.silent_ticks % tunables::kTicksBeforeStandIn == 0) poll(i, false);
  }
  return needed;
}

}  // namespace kumiko::runtime::detail
