// The C library's own functions, which ours stand in front of.
#pragma once

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

// What programs call that were compiled with _FORTIFY_SOURCE; the C library declares them only
// there.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the C library's names
extern "C" {
ssize_t __read_chk(int descriptor, void* into, size_t size, size_t capacity);
ssize_t __recv_chk(int descriptor, void* into, size_t size, size_t capacity, int flags);
ssize_t __recvfrom_chk(int descriptor, void* into, size_t size, size_t capacity, int flags,
                       sockaddr* address, socklen_t* address_size);
int __poll_chk(pollfd* watched, nfds_t count, int timeout, size_t capacity);
int __ppoll_chk(pollfd* watched, nfds_t count, const timespec* timeout, const sigset_t* mask,
                size_t capacity);
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

namespace kumiko::pthread {

/// The C library's functions behind ours, those that exports.txt marks: for OS threads, for objects
/// that are shared between processes, and for this library's own runtime.
struct Real {
#define KUMIKO_REAL(name) decltype(&::name) name;  // NOLINT(bugprone-macro-parentheses)
#include "real_functions.inc"
#undef KUMIKO_REAL
};

/// Looked up at the first call. Aborts with a message if the C library has no such function.
const Real& real() noexcept;

/// The system call itself, as the C library's syscall() makes it: no cancellation point.
extern "C" long kumiko_system_call(long number, ...) __asm__("__wrap_syscall");

}  // namespace kumiko::pthread
