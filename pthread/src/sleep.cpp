// sleep() and its like: lightweight threads let others run meanwhile.
#include <cerrno>
#include <chrono>

#include <sched.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <kumiko/runtime/this_thread.hpp>

#include "clock.hpp"
#include "interpose.hpp"
#include "io_support.hpp"
#include "real.hpp"
#include "signals.hpp"
#include "thread_record.hpp"
#include "turns.hpp"

namespace kumiko::pthread {

namespace {

/// Sleeps until `time` has come by `clock`; the calling thread is a lightweight one.
int sleep_until(clockid_t clock, const timespec& time) {
  return wait_by_clock(clock, time, [](const Deadline& deadline) {
    const Waited waited = sleep_until(deadline, Cancelled::kUnwinds, Handled::kEnds);
    return waited == Waited::kSignalled ? EINTR : ETIMEDOUT;
  });
}

constexpr long kNanosecondsInSecond = 1'000'000'000;

/// What is left of a span when `past` of it is over.
timespec left_of(const timespec& span, std::chrono::nanoseconds past) noexcept {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(past);
  timespec left{span.tv_sec - seconds.count(), span.tv_nsec - (past - seconds).count()};
  if (left.tv_nsec < 0) {
    --left.tv_sec;
    left.tv_nsec += kNanosecondsInSecond;
  }
  return left.tv_sec < 0 ? timespec{} : left;
}

/// Returns 0 or EINVAL, or EINTR if a signal handler has run, and fills in what is left then.
int sleep_for(const timespec& span, timespec* left) {
  if (!is_valid(&span)) return EINVAL;
  const Deadline begin = Deadline::clock::now();
  const Waited waited = sleep_until(deadline_after(&span), Cancelled::kUnwinds, Handled::kEnds);
  if (waited != Waited::kSignalled) return 0;
  if (left != nullptr) *left = left_of(span, Deadline::clock::now() - begin);
  return EINTR;
}

bool is_os_thread() noexcept { return ThreadRecord::running() == nullptr; }

}  // namespace

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int sched_yield() {
  if (is_os_thread()) return real().sched_yield();
  kumiko::runtime::this_thread::yield();
  begin_slice();
  if (ThreadRecord::running()->signals_to_take() != 0) take_signals();
  return 0;
}

// <pthread.h> makes the name another one of sched_yield().
KUMIKO_INTERPOSE int kumiko_pthread_yield() __asm__("pthread_yield");
int kumiko_pthread_yield() { return sched_yield(); }

KUMIKO_INTERPOSE void thrd_yield() { sched_yield(); }

KUMIKO_INTERPOSE int clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                                     timespec* left) {
  const bool knows_clock = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
  if (!knows_clock || is_os_thread()) return real().clock_nanosleep(clock, flags, time, left);
  if ((flags & TIMER_ABSTIME) == 0) return sleep_for(*time, left);
  const int result = sleep_until(clock, *time);
  return result == ETIMEDOUT ? 0 : result;
}

KUMIKO_INTERPOSE int nanosleep(const timespec* time, timespec* left) {
  if (is_os_thread()) return real().nanosleep(time, left);
  return returned<int>(-sleep_for(*time, left));
}

KUMIKO_INTERPOSE unsigned sleep(unsigned seconds) {
  if (is_os_thread()) return real().sleep(seconds);
  timespec left{};
  if (sleep_for({static_cast<time_t>(seconds), 0}, &left) == 0) return 0;
  return static_cast<unsigned>(left.tv_sec) + (left.tv_nsec >= kNanosecondsInSecond / 2 ? 1 : 0);
}

KUMIKO_INTERPOSE int usleep(useconds_t microseconds) {
  if (is_os_thread()) return real().usleep(microseconds);
  constexpr useconds_t kSecond = 1'000'000;
  const timespec span{static_cast<time_t>(microseconds / kSecond),
                      static_cast<long>(microseconds % kSecond) * 1000};
  return returned<int>(-sleep_for(span, nullptr));
}

KUMIKO_INTERPOSE int pause() {
  if (is_os_thread()) return real().pause();
  sleep_until(Deadline::max(), Cancelled::kUnwinds, Handled::kEnds);
  return returned<int>(-EINTR);
}

KUMIKO_INTERPOSE int thrd_sleep(const timespec* time, timespec* left) {
  if (is_os_thread()) return real().thrd_sleep(time, left);
  const int error = sleep_for(*time, left);
  if (error == 0) return 0;
  return error == EINTR ? -1 : -2;
}
