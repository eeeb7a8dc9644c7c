// sigwait(), sigwaitinfo() and sigtimedwait(): a lightweight thread lets others run meanwhile. It
// takes what was sent to itself and what the process has pending.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kumiko/runtime/this_thread.hpp>

#include "interpose.hpp"
#include "io_support.hpp"
#include "ours.hpp"
#include "real.hpp"
#include "signals.hpp"
#include "thread_record.hpp"
#include "turns.hpp"

namespace kumiko::pthread {

namespace {

/// Takes one of the signals if there is one, 0 otherwise: the thread's own, then the process's.
int take_awaited(ThreadRecord& self, const sigset_t& set, siginfo_t* info) noexcept {
  for (;;) {
    const std::uint64_t own = self.pending_signals.load(std::memory_order_seq_cst) & bits_of(set);
    if (own == 0) break;
    const std::uint64_t lowest = own & (~own + 1);
    const std::uint64_t before = self.pending_signals.fetch_and(~lowest, std::memory_order_seq_cst);
    if ((before & lowest) == 0) continue;
    const int signal = std::countr_zero(lowest) + 1;
    if (info != nullptr) *info = info_of(signal, SI_USER);
    return signal;
  }
  constexpr std::size_t kKernelSetSize = 8;
  const timespec at_once{};
  // The system's call: the C library's function is a cancellation point.
  const long signal = kumiko_system_call(SYS_rt_sigtimedwait, &set, info, &at_once, kKernelSetSize);
  return std::max(0, static_cast<int>(signal));
}

/// One such wait of the running lightweight thread. A signalfd tells that the process has a signal,
/// an eventfd that one was sent to the thread. They only wake it.
class SignalWait {
 public:
  SignalWait(ThreadRecord& self, const sigset_t& set) noexcept
      : self_(self),
        of_process_(note_new(real().signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK))),
        of_thread_(note_new(real().eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))) {
    // seq_cst: see signals.hpp. The bell before, for it is rung by who sees the other.
    self_.signal_bell.store(of_thread_, std::memory_order_seq_cst);
    self_.awaited_signals.store(bits_of(set), std::memory_order_seq_cst);
  }
  SignalWait(const SignalWait&) = delete;
  SignalWait& operator=(const SignalWait&) = delete;

  ~SignalWait() {
    self_.awaited_signals.store(0, std::memory_order_seq_cst);
    // seq_cst: pairs with ring(), which counts itself before it reads the bell.
    self_.signal_bell.store(-1, std::memory_order_seq_cst);
    while (self_.ringers.load(std::memory_order_seq_cst) != 0) runtime::this_thread::yield();
    if (of_process_ >= 0) close_descriptor(of_process_);
    if (of_thread_ >= 0) close_descriptor(of_thread_);
  }

  /// Waits until there may be a signal, or until the deadline; returns false if a signal handler
  /// has run. A cancellation point.
  bool wait(Deadline deadline) {
    if (of_process_ < 0 || of_thread_ < 0) {
      patience_.sleep(deadline);
      return true;
    }
    pollfd watched[] = {{of_process_, POLLIN, 0}, {of_thread_, POLLIN, 0}};
    if (ours::our_poll(watched, 2, milliseconds_until(deadline)) < 0) return errno != EINTR;
    if (watched[1].revents != 0) {
      // Whoever rang may have sent what an earlier wait has taken. Read before the caller looks
      // again: who rings later has a signal that it does not see, or wakes it once more.
      eventfd_t rings = 0;
      static_cast<void>(!read(of_thread_, &rings, sizeof rings));
    }
    return true;
  }

 private:
  /// The time that is left as poll() takes it: milliseconds, rounded up.
  static int milliseconds_until(Deadline deadline) noexcept {
    if (deadline == Deadline::max()) return -1;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - Deadline::clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
  }

  ThreadRecord& self_;
  const int of_process_;
  const int of_thread_;
  Patience patience_;
};

/// sigtimedwait() of a lightweight thread. Returns the signal, or -EAGAIN or -EINTR.
int wait_for_signal(ThreadRecord& self, const sigset_t& set, siginfo_t* info, Deadline deadline) {
  real().pthread_testcancel();
  int result = take_awaited(self, set, info);
  if (result != 0) return result;
  if (Deadline::clock::now() >= deadline) {
    count_turn(kWeightOfFailure);  // it is likely to look again
    return -EAGAIN;
  }
  {
    SignalWait wait(self, set);
    for (;;) {
      result = take_awaited(self, set, info);
      if (result == 0 && Deadline::clock::now() >= deadline) result = -EAGAIN;
      if (result != 0) break;
      if (!wait.wait(deadline)) {
        result = -EINTR;
        break;
      }
    }
  }
  // One more may have come that is not blocked, and not awaited any more.
  if (self.signals_to_take() != 0) take_signals();
  return result;
}

}  // namespace

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int sigwait(const sigset_t* set, int* signal) {
  ThreadRecord* const record = ThreadRecord::running();
  if (record == nullptr) return real().sigwait(set, signal);
  int result = -EINTR;
  while (result == -EINTR) result = wait_for_signal(*record, *set, nullptr, Deadline::max());
  *signal = result;
  return 0;
}

KUMIKO_INTERPOSE int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  ThreadRecord* const record = ThreadRecord::running();
  if (record == nullptr) return real().sigwaitinfo(set, info);
  return returned<int>(wait_for_signal(*record, *set, info, Deadline::max()));
}

KUMIKO_INTERPOSE int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* time) {
  ThreadRecord* const record = ThreadRecord::running();
  if (record == nullptr) return real().sigtimedwait(set, info, time);
  if (!is_valid(time)) return returned<int>(-EINVAL);
  return returned<int>(wait_for_signal(*record, *set, info, deadline_after(time)));
}
