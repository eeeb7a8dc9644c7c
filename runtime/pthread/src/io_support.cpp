#include "io_support.hpp"

#include <algorithm>
#include <mutex>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "engine.hpp"
#include "io/call.hpp"
#include "io/descriptor_kind.hpp"
#include "io_real.hpp"
#include "real.hpp"
#include "signals.hpp"
#include "thread_record.hpp"
#include "turns.hpp"

namespace kumiko::pthread {

namespace {

using runtime::detail::IoService;

/// The deadline after a span. It does not overflow: what is beyond a century never comes.
template <class Fraction>
Deadline deadline_after(time_t seconds, Fraction fraction) noexcept {
  constexpr time_t kLongest = 36525 * 86400L;
  if (seconds >= kLongest) return Deadline::max();
  return runtime::detail::deadline_after(std::chrono::seconds(seconds) + fraction);
}

/// The runtime's I/O; nullptr if no thread has waited for I/O yet, or in a child of vfork(), which
/// runs in its parent's memory: what it does to descriptors is its own.
IoService* service() noexcept {
  Engine* const engine = Engine::current();
  IoService* const io = engine != nullptr ? IoService::of(engine->scheduler()) : nullptr;
  return io != nullptr && io->is_of_this_process() ? io : nullptr;
}

void copy_request(const Operation& from, Operation& to) noexcept {
  to.flags = from.flags;
  to.vectors = from.vectors;
  to.vector_count = from.vector_count;
  to.message = from.message;
  to.address = from.address;
  to.address_size = from.address_size;
}

/// Makes one attempt of run(). Returns -ETIMEDOUT at the deadline, -EINTR if it was interrupted.
std::int64_t run_once(ThreadRecord& self, const Operation& wanted, Deadline deadline) noexcept {
  Operation operation(wanted.kind, wanted.descriptor);
  copy_request(wanted, operation);
  self.set_operation(&operation);
  // Whoever cancels or sends a signal does so before it looks for the operation, under the same
  // lock.
  if (self.is_cancelled() || self.signals_to_take() != 0) operation.interrupt();
  const std::int64_t result = runtime::detail::run(operation, runtime::io::until(deadline));
  self.set_operation(nullptr);
  begin_slice();
  return result == -ETIMEDOUT && operation.is_interrupted() ? -EINTR : result;
}

/// Whether the runtime may have said so for itself: no descriptors for its I/O, no room in epoll,
/// or nothing that epoll takes. If the system said so of the call, it says so again.
bool is_want_of_means(std::int64_t result) noexcept {
  return result == -EMFILE || result == -ENFILE || result == -ENOMEM || result == -ENOSPC ||
         result == -EPERM || result == -EAGAIN;
}

/// Does what run() does by looking again and again.
std::int64_t run_patiently(ThreadRecord& self, const Operation& wanted, Deadline deadline,
                           Cancelled cancelled) {
  Operation operation(wanted.kind, wanted.descriptor);
  copy_request(wanted, operation);
  Patience patience;
  for (;;) {
    // Each time: the number may mean something else by now.
    DescriptorKind kind{};
    if (const int error = runtime::detail::classify(wanted.descriptor, kind); error != 0) {
      return error;
    }
    if (const std::int64_t result = operation.attempt(kind); result != -EAGAIN) return result;
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

std::int64_t run(const Operation& wanted, Deadline deadline, Cancelled cancelled, Handled handled) {
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
        park(&nobody_wakes_this, [] { return true; }, {"a point in time", end, true, handled});
    if (woken == ParkResult::kTimedOut) return Waited::kTimedOut;
    if (woken == ParkResult::kSignalled) return Waited::kSignalled;
    if (woken != ParkResult::kCancelled) continue;
    if (cancelled == Cancelled::kReturns) return Waited::kMayHave;
    real().pthread_testcancel();
  }
}

void Patience::sleep(Deadline deadline, Cancelled cancelled) {
  sleep_until(std::min(deadline, runtime::detail::deadline_after(pause_)), cancelled);
  pause_ = std::min(2 * pause_, kLongest);
}

Deadline deadline_of_socket(int descriptor, int option) noexcept {
  timeval limit{};
  socklen_t size = sizeof limit;
  if (getsockopt(descriptor, SOL_SOCKET, option, &limit, &size) != 0) return Deadline::max();
  if (limit.tv_sec == 0 && limit.tv_usec == 0) return Deadline::max();
  return deadline_after(limit);
}

Waited wait_for_events(int descriptor, short events, Deadline deadline) {
  Operation operation(Operation::Kind::kPoll, descriptor);
  operation.flags = events;
  const std::int64_t result = run(operation, deadline, Cancelled::kUnwinds, Handled::kEnds);
  if (result == -EINTR) return Waited::kSignalled;
  return result == -EAGAIN ? Waited::kTimedOut : Waited::kMayHave;
}

int note_new(int descriptor) noexcept {
  if (descriptor >= 0) note_range(descriptor, descriptor);
  return descriptor;
}

void note_range(int first, int last) noexcept {
  IoService* const io = service();
  if (io == nullptr) return;
  const SignalGuard guard;  // waiters are woken
  const int saved_errno = errno;
  for (int number = first; number <= last; ++number) {
    Operation operation(Operation::Kind::kClose, number);
    operation.keeps_open = true;
    if (!io->engine().close(operation)) operation.wait_to_the_end();
  }
  errno = saved_errno;
}

std::int64_t close_descriptor(int descriptor) noexcept {
  if (service() == nullptr) return ::close(descriptor) == 0 ? 0 : -errno;
  const SignalGuard guard;  // waiters are woken
  return runtime::detail::run_close(descriptor);
}

Deadline deadline_after_milliseconds(int timeout) noexcept {
  if (timeout < 0) return Deadline::max();
  return runtime::detail::deadline_after(std::chrono::milliseconds(timeout));
}

Deadline deadline_after(const timespec* span) noexcept {
  return span == nullptr ? Deadline::max()
                         : deadline_after(span->tv_sec, std::chrono::nanoseconds(span->tv_nsec));
}

Deadline deadline_after(const timeval& span) noexcept {
  return deadline_after(span.tv_sec, std::chrono::microseconds(span.tv_usec));
}

}  // namespace kumiko::pthread
