#include "io_support.hpp"

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>

#include "engine.hpp"
#include "real.hpp"
#include "signals.hpp"
#include "thread_record.hpp"
#include "turns.hpp"

namespace kumiko::pthread {

namespace {

/// The deadline after a span. It does not overflow: what is beyond a century never comes.
template <class Fraction>
Deadline deadline_after(time_t seconds, Fraction fraction) noexcept {
  constexpr time_t kLongest = 36525 * 86400L;
  if (seconds >= kLongest) return Deadline::max();
  return runtime::port::deadline_after(std::chrono::seconds(seconds) + fraction);
}

/// The workers, if threads may wait for I/O there; nullptr if none has done so yet, or in a child
/// of vfork(), which runs in its parent's memory: what it does to descriptors is its own.
runtime::port::Workers* workers_with_io() noexcept {
  Engine* const engine = Engine::current();
  return engine != nullptr && engine->workers().has_io() ? &engine->workers() : nullptr;
}

/// Makes one attempt of run(). Returns -ETIMEDOUT at the deadline, -EINTR if it was interrupted.
std::int64_t run_once(ThreadRecord& self, const Request& wanted, Deadline deadline) noexcept {
  // Whoever cancels or sends a signal does so before interrupt_if().
  const auto is_interrupted = [](const void* thread) {
    const auto& record = *static_cast<const ThreadRecord*>(thread);
    return record.is_cancelled() || record.signals_to_take() != 0;
  };
  const std::int64_t result =
      runtime::port::run(wanted, deadline, self.io_wait, is_interrupted, &self);
  begin_slice();
  return result;
}

/// Whether the runtime may have said so for itself: no descriptors for its I/O, no room in epoll,
/// or nothing that epoll takes. If the system said so of the call, it says so again.
bool is_want_of_means(std::int64_t result) noexcept {
  return result == -EMFILE || result == -ENFILE || result == -ENOMEM || result == -ENOSPC ||
         result == -EPERM || result == -EAGAIN;
}

/// Does what run() does by looking again and again.
std::int64_t run_patiently(ThreadRecord& self, const Request& wanted, Deadline deadline,
                           Cancelled cancelled) {
  Patience patience;
  for (;;) {
    if (const std::int64_t result = runtime::port::try_now(wanted); result != -EAGAIN) {
      return result;
    }
    if (Deadline::clock::now() >= deadline) return -EAGAIN;
    if (cancelled == Cancelled::kReturns && self.is_cancelled()) return -EINTR;
    patience.sleep(deadline, cancelled);
  }
}

}  // namespace

bool is_ours(int descriptor) {
  if (ThreadRecord::running() == nullptr) return false;
  count_turn(kWeightOfCall);
  return can_wait_for(descriptor);
}

bool can_wait_for(int descriptor) noexcept {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || (flags & O_NONBLOCK) != 0) return false;
  struct stat status;
  if (fstat(descriptor, &status) != 0) return false;
  return !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode) && !S_ISBLK(status.st_mode);
}

std::int64_t run(const Request& wanted, Deadline deadline, Cancelled cancelled, Handled handled) {
  ThreadRecord& self = *ThreadRecord::running();
  // What has a time limit Linux does not begin again.
  const Taken enough =
      handled == Handled::kEnds || deadline != Deadline::max() ? Taken::kRestart : Taken::kEnds;
  if (cancelled == Cancelled::kUnwinds) real().pthread_testcancel();
  std::int64_t result = run_once(self, wanted, deadline);
  while (result == -EINTR) {
    if (self.is_cancelled()) {
      if (cancelled == Cancelled::kReturns) return -EINTR;
      real().pthread_testcancel();
    }
    // Nothing may be left to take: who sends a signal that has no handler takes it back.
    if (take_signals() >= enough) return -EINTR;
    result = run_once(self, wanted, deadline);
  }
  if (is_want_of_means(result)) return run_patiently(self, wanted, deadline, cancelled);
  if (result != -ETIMEDOUT) return result;
  // Connections have time limits of their own.
  return Deadline::clock::now() < deadline ? -ETIMEDOUT : -EAGAIN;
}

Waited sleep_until(Deadline deadline, Cancelled cancelled, Handled handled) {
  const char nobody_wakes_this = 0;
  const Deadline* const end = deadline == Deadline::max() ? nullptr : &deadline;
  if (cancelled == Cancelled::kUnwinds) real().pthread_testcancel();
  for (;;) {
    const ParkResult woken =
        park(&nobody_wakes_this, [] { return true; },
             {"a point in time", end, Interrupts::kSignalsAndCancellation, handled});
    if (woken == ParkResult::kTimedOut) return Waited::kTimedOut;
    if (woken == ParkResult::kSignalled) return Waited::kSignalled;
    if (woken != ParkResult::kCancelled) continue;
    if (cancelled == Cancelled::kReturns) return Waited::kMayHave;
    real().pthread_testcancel();
  }
}

void Patience::sleep(Deadline deadline, Cancelled cancelled) {
  sleep_until(std::min(deadline, runtime::port::deadline_after(pause_)), cancelled);
  pause_ = std::min(2 * pause_, kLongest);
}

int socket_option(int descriptor, int option) noexcept {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

Deadline deadline_of_socket(int descriptor, int option) noexcept {
  timeval limit{};
  socklen_t size = sizeof limit;
  if (getsockopt(descriptor, SOL_SOCKET, option, &limit, &size) != 0) return Deadline::max();
  if (limit.tv_sec == 0 && limit.tv_usec == 0) return Deadline::max();
  return deadline_after(limit);
}

Waited wait_for_events(int descriptor, short events, Deadline deadline) {
  const Request poll{.kind = Request::Kind::kPoll, .descriptor = descriptor, .flags = events};
  const std::int64_t result = run(poll, deadline, Cancelled::kUnwinds, Handled::kEnds);
  if (result == -EINTR) return Waited::kSignalled;
  return result == -EAGAIN ? Waited::kTimedOut : Waited::kMayHave;
}

int note_new(int descriptor) noexcept {
  if (descriptor >= 0) note_range(descriptor, descriptor);
  return descriptor;
}

void note_range(int first, int last) noexcept {
  runtime::port::Workers* const workers = workers_with_io();
  if (workers == nullptr) return;
  const SignalGuard guard;  // waiters are woken
  const int saved_errno = errno;
  for (int number = first; number <= last; ++number) workers->end_waits_for(number);
  errno = saved_errno;
}

std::int64_t close_descriptor(int descriptor) noexcept {
  if (workers_with_io() == nullptr) return ::close(descriptor) == 0 ? 0 : -errno;
  const SignalGuard guard;  // waiters are woken
  return runtime::port::close(descriptor);
}

bool is_valid(const timespec* span) noexcept {
  return span == nullptr || (span->tv_sec >= 0 && span->tv_nsec >= 0 && span->tv_nsec < 1000000000);
}

Deadline deadline_after_milliseconds(int timeout) noexcept {
  if (timeout < 0) return Deadline::max();
  return runtime::port::deadline_after(std::chrono::milliseconds(timeout));
}

Deadline deadline_after(const timespec* span) noexcept {
  return span == nullptr ? Deadline::max()
                         : deadline_after(span->tv_sec, std::chrono::nanoseconds(span->tv_nsec));
}

Deadline deadline_after(const timeval& span) noexcept {
  return deadline_after(span.tv_sec, std::chrono::microseconds(span.tv_usec));
}

}  // namespace kumiko::pthread
