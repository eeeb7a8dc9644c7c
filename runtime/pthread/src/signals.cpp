#include "signals.hpp"

#include <cerrno>

#include <unistd.h>

#include "interpose.hpp"
#include "real.hpp"
#include "thread_record.hpp"

namespace kumiko::pthread {

AsWorker::AsWorker() noexcept {
  sigset_t mask;
  sigfillset(&mask);
  for (const int own : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPIPE, SIGPROF, SIGSEGV, SIGSYS, SIGTRAP,
                        SIGXCPU, SIGXFSZ}) {
    sigdelset(&mask, own);
  }
  real().pthread_sigmask(SIG_BLOCK, &mask, &before_);
}

AsWorker::~AsWorker() { real().pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

WithOwnMask::WithOwnMask() noexcept : active_(ThreadRecord::running() != nullptr) {
  if (!active_) return;
  real().pthread_sigmask(SIG_SETMASK, &ThreadRecord::running()->signal_mask, &before_);
}

WithOwnMask::~WithOwnMask() {
  if (active_) real().pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

namespace {

/// pthread_sigmask() of a lightweight thread.
int change_mask(sigset_t& mask, int how, const sigset_t* set, sigset_t* before) noexcept {
  if (before != nullptr) *before = mask;
  if (set == nullptr) return 0;
  switch (how) {
    case SIG_BLOCK:
      return sigorset(&mask, &mask, set);
    case SIG_UNBLOCK:
      for (int signal = 1; signal < NSIG; ++signal) {
        if (sigismember(set, signal) == 1) sigdelset(&mask, signal);
      }
      return 0;
    case SIG_SETMASK:
      mask = *set;
      return 0;
    default:
      return EINVAL;
  }
}

}  // namespace

int raise_here(int signal) noexcept {
  // The worker must not block what is meant for this thread; it comes before raise() returns.
  sigset_t unblocked;
  sigset_t before;
  sigemptyset(&unblocked);
  sigaddset(&unblocked, signal);
  real().pthread_sigmask(SIG_UNBLOCK, &unblocked, &before);
  const int result = real().raise(signal);
  real().pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) {
  ThreadRecord* const record = ThreadRecord::running();
  if (record == nullptr) return real().pthread_sigmask(how, set, before);
  return change_mask(record->signal_mask, how, set, before);
}

KUMIKO_INTERPOSE int sigprocmask(int how, const sigset_t* set, sigset_t* before) {
  ThreadRecord* const record = ThreadRecord::running();
  if (record == nullptr) return real().sigprocmask(how, set, before);
  const int error = change_mask(record->signal_mask, how, set, before);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

KUMIKO_INTERPOSE int raise(int signal) {
  const ThreadRecord* const record = ThreadRecord::running();
  if (record == nullptr || signal <= 0 || signal >= NSIG) return real().raise(signal);
  // One that the thread has blocked would be pending in the worker, for whoever comes.
  if (sigismember(&record->signal_mask, signal) == 1) return 0;
  return raise_here(signal);
}
