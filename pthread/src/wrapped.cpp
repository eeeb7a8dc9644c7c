// What this library itself calls by a name that it replaces: the linker's --wrap leads here.

#include <sys/syscall.h>

#include "io_support.hpp"
#include "real.hpp"

using kumiko::pthread::kumiko_system_call;
using kumiko::pthread::real;

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): names the linker gives
// NOLINTBEGIN(bugprone-macro-parentheses): types, and lists with parentheses of their own
extern "C" {

#define KUMIKO_TO_THE_LIBRARY(result, name, parameters, arguments) \
  result __wrap_##name parameters { return real().name arguments; }

KUMIKO_TO_THE_LIBRARY(int, pthread_create,
                      (pthread_t * thread, const pthread_attr_t* attributes, void* (*start)(void*),
                       void* argument),
                      (thread, attributes, start, argument))
KUMIKO_TO_THE_LIBRARY(int, pthread_join, (pthread_t thread, void** result), (thread, result))
KUMIKO_TO_THE_LIBRARY(int, pthread_detach, (pthread_t thread), (thread))
KUMIKO_TO_THE_LIBRARY(int, pthread_setname_np, (pthread_t thread, const char* name), (thread, name))
KUMIKO_TO_THE_LIBRARY(int, pthread_cancel, (pthread_t thread), (thread))
KUMIKO_TO_THE_LIBRARY(int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
KUMIKO_TO_THE_LIBRARY(int, pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex))
KUMIKO_TO_THE_LIBRARY(int, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
KUMIKO_TO_THE_LIBRARY(int, pthread_mutex_destroy, (pthread_mutex_t * mutex), (mutex))
KUMIKO_TO_THE_LIBRARY(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t* mutex),
                      (condition, mutex))
KUMIKO_TO_THE_LIBRARY(int, pthread_cond_timedwait,
                      (pthread_cond_t * condition, pthread_mutex_t* mutex, const timespec* time),
                      (condition, mutex, time))
KUMIKO_TO_THE_LIBRARY(int, pthread_cond_clockwait,
                      (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock,
                       const timespec* time),
                      (condition, mutex, clock, time))
KUMIKO_TO_THE_LIBRARY(int, pthread_cond_signal, (pthread_cond_t * condition), (condition))
KUMIKO_TO_THE_LIBRARY(int, pthread_cond_broadcast, (pthread_cond_t * condition), (condition))
KUMIKO_TO_THE_LIBRARY(int, pthread_cond_destroy, (pthread_cond_t * condition), (condition))
KUMIKO_TO_THE_LIBRARY(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
KUMIKO_TO_THE_LIBRARY(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
KUMIKO_TO_THE_LIBRARY(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock))
KUMIKO_TO_THE_LIBRARY(int, pthread_once, (pthread_once_t * once, void (*function)()),
                      (once, function))
KUMIKO_TO_THE_LIBRARY(int, pthread_sigmask, (int how, const sigset_t* set, sigset_t* before),
                      (how, set, before))
KUMIKO_TO_THE_LIBRARY(int, sigprocmask, (int how, const sigset_t* set, sigset_t* before),
                      (how, set, before))
KUMIKO_TO_THE_LIBRARY(int, sigpending, (sigset_t * set), (set))
KUMIKO_TO_THE_LIBRARY(int, raise, (int signal), (signal))
KUMIKO_TO_THE_LIBRARY(int, sched_yield, (), ())
KUMIKO_TO_THE_LIBRARY(int, pause, (), ())
KUMIKO_TO_THE_LIBRARY(int, nanosleep, (const timespec* time, timespec* left), (time, left))
KUMIKO_TO_THE_LIBRARY(int, getaddrinfo,
                      (const char* host, const char* service, const addrinfo* hints,
                       addrinfo** found),
                      (host, service, hints, found))
KUMIKO_TO_THE_LIBRARY(int, socket, (int domain, int type, int protocol), (domain, type, protocol))
KUMIKO_TO_THE_LIBRARY(int, socketpair, (int domain, int type, int protocol, int* pair),
                      (domain, type, protocol, pair))
KUMIKO_TO_THE_LIBRARY(int, pipe2, (int* ends, int flags), (ends, flags))
KUMIKO_TO_THE_LIBRARY(int, eventfd, (unsigned value, int flags), (value, flags))
KUMIKO_TO_THE_LIBRARY(int, epoll_create1, (int flags), (flags))
KUMIKO_TO_THE_LIBRARY(int, fclose, (FILE * stream), (stream))

// The runtime's own I/O is of descriptors that never block, or in OS threads that may. It is the
// system's call without the C library's function, for that is a cancellation point: one thread may
// do what others wait for, and must not be unwound in the midst of it.
#define KUMIKO_TO_THE_SYSTEM(result, name, parameters, arguments) \
  result __wrap_##name parameters { return static_cast<result>(kumiko_system_call arguments); }

KUMIKO_TO_THE_SYSTEM(ssize_t, read, (int descriptor, void* into, size_t size),
                     (SYS_read, descriptor, into, size))
KUMIKO_TO_THE_SYSTEM(ssize_t, readv, (int descriptor, const iovec* into, int count),
                     (SYS_readv, descriptor, into, count))
KUMIKO_TO_THE_SYSTEM(ssize_t, preadv2,
                     (int descriptor, const iovec* into, int count, off_t offset, int flags),
                     (SYS_preadv2, descriptor, into, count, offset, 0L, flags))
KUMIKO_TO_THE_SYSTEM(ssize_t, write, (int descriptor, const void* from, size_t size),
                     (SYS_write, descriptor, from, size))
KUMIKO_TO_THE_SYSTEM(ssize_t, writev, (int descriptor, const iovec* from, int count),
                     (SYS_writev, descriptor, from, count))
KUMIKO_TO_THE_SYSTEM(ssize_t, pwritev2,
                     (int descriptor, const iovec* from, int count, off_t offset, int flags),
                     (SYS_pwritev2, descriptor, from, count, offset, 0L, flags))
KUMIKO_TO_THE_SYSTEM(ssize_t, recv, (int descriptor, void* into, size_t size, int flags),
                     (SYS_recvfrom, descriptor, into, size, flags, nullptr, nullptr))
KUMIKO_TO_THE_SYSTEM(ssize_t, recvmsg, (int descriptor, msghdr* message, int flags),
                     (SYS_recvmsg, descriptor, message, flags))
KUMIKO_TO_THE_SYSTEM(ssize_t, send, (int descriptor, const void* from, size_t size, int flags),
                     (SYS_sendto, descriptor, from, size, flags, nullptr, 0L))
KUMIKO_TO_THE_SYSTEM(ssize_t, sendmsg, (int descriptor, const msghdr* message, int flags),
                     (SYS_sendmsg, descriptor, message, flags))
KUMIKO_TO_THE_SYSTEM(int, connect, (int descriptor, const sockaddr* address, socklen_t size),
                     (SYS_connect, descriptor, address, size))
KUMIKO_TO_THE_SYSTEM(int, close, (int descriptor), (SYS_close, descriptor))
KUMIKO_TO_THE_SYSTEM(int, fsync, (int descriptor), (SYS_fsync, descriptor))
KUMIKO_TO_THE_SYSTEM(int, fdatasync, (int descriptor), (SYS_fdatasync, descriptor))
KUMIKO_TO_THE_SYSTEM(int, poll, (pollfd * watched, nfds_t count, int timeout),
                     (SYS_poll, watched, count, timeout))
KUMIKO_TO_THE_SYSTEM(int, epoll_wait, (int descriptor, epoll_event* events, int count, int timeout),
                     (SYS_epoll_wait, descriptor, events, count, timeout))
KUMIKO_TO_THE_SYSTEM(pid_t, waitpid, (pid_t child, int* status, int options),
                     (SYS_wait4, child, status, options, nullptr))

int __wrap_eventfd_write(int descriptor, eventfd_t value) {
  return kumiko_system_call(SYS_write, descriptor, &value, sizeof value) == sizeof value ? 0 : -1;
}

int __wrap_sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* time) {
  constexpr std::size_t kKernelSetSize = 8;
  return static_cast<int>(kumiko_system_call(SYS_rt_sigtimedwait, set, info, time, kKernelSetSize));
}

int __wrap_accept4(int descriptor, sockaddr* address, socklen_t* size, int flags) {
  return kumiko::pthread::accept_at_once(descriptor, address, size, flags);
}

// Declared with "...": what may be a third argument lies in a register either way.
int __wrap_fcntl(int descriptor, int command, void* argument) {
  return real().fcntl(descriptor, command, argument);
}

int __wrap_open(const char* path, int flags, mode_t mode) { return real().open(path, flags, mode); }

/// The destructors of our static objects do not run: at exit() workers still do, and use them.
[[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
}
// NOLINTEND(bugprone-macro-parentheses)
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
