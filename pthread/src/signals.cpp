#include "signals.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include <sys/eventfd.h>
#include <ucontext.h>
#include <unistd.h>

#include "interpose.hpp"
#include "parking_lot.hpp"
#include "real.hpp"
#include "thread_record.hpp"

namespace kumiko::pthread {

namespace {

/// What workers block.
sigset_t worker_mask;

sigset_t blocked_by_workers() noexcept {
  sigset_t mask;
  sigfillset(&mask);
  for (const int own : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPIPE, SIGPROF, SIGSEGV, SIGSYS, SIGTRAP,
                        SIGXCPU, SIGXFSZ}) {
    sigdelset(&mask, own);
  }
  return mask;
}

}  // namespace

MaskChange::MaskChange(int how, const sigset_t& set) noexcept {
  real().pthread_sigmask(how, &set, &before_);
}

MaskChange::~MaskChange() { real().pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

sigset_t set_of(int signal) noexcept {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

AsWorker::AsWorker() noexcept : change_(SIG_BLOCK, blocked_by_workers()) {
  real().pthread_sigmask(SIG_BLOCK, nullptr, &worker_mask);
}

void reset_worker_mask() noexcept { real().pthread_sigmask(SIG_SETMASK, &worker_mask, nullptr); }

WithOwnMask::WithOwnMask() noexcept {
  if (const ThreadRecord* const thread = ThreadRecord::running(); thread != nullptr) {
    change_.emplace(SIG_SETMASK, thread->signal_mask);
  }
}

std::uint64_t bits_of(const sigset_t& set) noexcept {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &set, sizeof bits);
  return bits;
}

siginfo_t info_of(int signal, int code) noexcept {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = code;
  info.si_pid = getpid();
  info.si_uid = getuid();
  return info;
}

void ThreadRecord::set_mask(const sigset_t& mask) noexcept {
  signal_mask = mask;
  // seq_cst: see signals.hpp.
  blocked_signals.store(bits_of(mask), std::memory_order_seq_cst);
}

namespace {

/// pthread_sigmask() of a lightweight thread.
int change_mask(ThreadRecord& self, int how, const sigset_t* set, sigset_t* before) {
  sigset_t mask = self.signal_mask;
  if (before != nullptr) *before = mask;
  if (set == nullptr) return 0;
  switch (how) {
    case SIG_BLOCK:
      sigorset(&mask, &mask, set);
      break;
    case SIG_UNBLOCK:
      for (int signal = 1; signal < NSIG; ++signal) {
        if (sigismember(set, signal) == 1) sigdelset(&mask, signal);
      }
      break;
    case SIG_SETMASK:
      mask = *set;
      break;
    default:
      return EINVAL;
  }
  self.set_mask(mask);
  const int saved_errno = errno;
  take_signals();
  errno = saved_errno;
  return 0;
}

/// Does what the system does at a signal that has no handler, or one for once only. Called by a
/// lightweight thread, or by an OS thread in the place of one.
void raise_here(int signal) {
  // What is meant for this thread comes before raise() returns. A handler that ends the thread
  // leaves the worker's mask to the destructor.
  const MaskChange unblocked(SIG_UNBLOCK, set_of(signal));
  real().raise(signal);
}

bool has_handler(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

/// What happens at this signal.
struct sigaction action_of(int signal) noexcept {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action;
}

/// Calls the handler as the kernel does, but for the worker's mask; see signals.hpp. The thread's
/// own is then `mask`, or what the handler makes of it.
void call_handler(const struct sigaction& action, int signal, sigset_t& mask) {
  if ((action.sa_flags & SA_SIGINFO) == 0) return action.sa_handler(signal);
  siginfo_t info = info_of(signal, SI_TKILL);
  ucontext_t context{};
  getcontext(&context);
  context.uc_sigmask = mask;
  action.sa_sigaction(signal, &info, &context);
  mask = context.uc_sigmask;
}

/// Whether it was there: of those who take a signal one has it.
bool take_back(ThreadRecord& thread, int signal) noexcept {
  return (thread.pending_signals.fetch_and(~bit_of(signal), std::memory_order_seq_cst) &
          bit_of(signal)) != 0;
}

/// Runs the handler of a signal that the thread has taken.
Taken run_handler(ThreadRecord& self, const struct sigaction& action, int signal) {
  // As the kernel does: what comes while the handler runs waits for its end.
  sigset_t after = self.signal_mask;
  sigset_t inside;
  sigorset(&inside, &after, &action.sa_mask);
  if ((action.sa_flags & SA_NODEFER) == 0) sigaddset(&inside, signal);
  self.set_mask(inside);
  if ((action.sa_flags & SA_RESETHAND) != 0) {
    raise_here(signal);  // of all threads one is to find the handler
  } else {
    call_handler(action, signal, after);
  }
  self.set_mask(after);
  return (action.sa_flags & SA_RESTART) == 0 ? Taken::kEnds : Taken::kRestart;
}

/// Wakes a thread in sigwait(). It closes its eventfd after it has made it unknown and no ringer is
/// left, so the number is not yet another file's.
void ring(ThreadRecord& thread) noexcept {
  // seq_cst: pairs with ~SignalWait(). Either it sees us, or we see that there is none any more.
  thread.ringers.fetch_add(1, std::memory_order_seq_cst);
  const int bell = thread.signal_bell.load(std::memory_order_seq_cst);
  const int saved_errno = errno;
  if (bell >= 0) eventfd_write(bell, 1);
  errno = saved_errno;
  // release: pairs with the acquire in ~SignalWait().
  thread.ringers.fetch_sub(1, std::memory_order_release);
}

}  // namespace

void send_signal(ThreadRecord& thread, int signal) {
  // Nobody can block these or wait for them.
  if (signal == SIGKILL || signal == SIGSTOP) return raise_here(signal);
  thread.pending_signals.fetch_or(bit_of(signal), std::memory_order_seq_cst);
  if ((thread.awaited_signals.load(std::memory_order_seq_cst) & bit_of(signal)) != 0) {
    return ring(thread);
  }
  if ((thread.blocked_signals.load(std::memory_order_seq_cst) & bit_of(signal)) != 0) return;
  if (&thread == ThreadRecord::running()) {
    take_signals();
  } else if (has_handler(action_of(signal))) {
    interrupt_wait(thread);
  } else if (take_back(thread, signal)) {
    raise_here(signal);
  }
}

Taken take_signals() {
  ThreadRecord& self = *ThreadRecord::running();
  Taken taken = Taken::kNothing;
  std::uint64_t left = 0;  // by a thread that ends
  for (;;) {
    const std::uint64_t here = self.open_signals() & ~left;
    if (here == 0) return taken;
    const int signal = std::countr_zero(here) + 1;
    const struct sigaction action = action_of(signal);
    if (has_handler(action) && self.ends.load(std::memory_order_relaxed)) {
      left |= bit_of(signal);
      continue;
    }
    if (!take_back(self, signal)) continue;
    if (has_handler(action)) {
      taken = std::max(taken, run_handler(self, action, signal));
    } else {
      raise_here(signal);
    }
  }
}

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) {
  ThreadRecord* const record = ThreadRecord::running();
  if (record == nullptr) return real().pthread_sigmask(how, set, before);
  return change_mask(*record, how, set, before);
}

KUMIKO_INTERPOSE int sigprocmask(int how, const sigset_t* set, sigset_t* before) {
  ThreadRecord* const record = ThreadRecord::running();
  if (record == nullptr) return real().sigprocmask(how, set, before);
  return returned<int>(-change_mask(*record, how, set, before));
}

KUMIKO_INTERPOSE int raise(int signal) {
  ThreadRecord* const record = ThreadRecord::running();
  if (record == nullptr || signal <= 0 || signal >= NSIG) return real().raise(signal);
  send_signal(*record, signal);
  return 0;
}

KUMIKO_INTERPOSE int pthread_kill(pthread_t thread, int signal) {
  ThreadRecord* const record = ThreadRecord::of(thread);
  if (record == nullptr) return real().pthread_kill(thread, signal);
  // Between the two kinds lie the C library's own.
  const bool is_known = signal >= 0 && (signal <= SIGSYS || signal >= SIGRTMIN) && signal < NSIG;
  if (!is_known) return EINVAL;
  // One that has ended is a thread until it is joined.
  const bool has_ended =
      (record->state.load(std::memory_order_relaxed) & ThreadRecord::kEnded) != 0;
  if (signal != 0 && !has_ended) send_signal(*record, signal);
  return 0;
}

/// Only what the process has, and what was sent to the calling thread.
KUMIKO_INTERPOSE int sigpending(sigset_t* set) {
  const ThreadRecord* const record = ThreadRecord::running();
  if (real().sigpending(set) != 0) return -1;
  if (record == nullptr) return 0;
  const std::uint64_t own = record->pending_signals.load(std::memory_order_relaxed);
  for (int signal = 1; signal < NSIG; ++signal) {
    if ((own & bit_of(signal)) != 0) sigaddset(set, signal);
  }
  return 0;
}
