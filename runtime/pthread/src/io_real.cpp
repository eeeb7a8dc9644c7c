#include "io_real.hpp"

#include <atomic>
#include <cstdarg>

#include <sys/syscall.h>

#include "io_support.hpp"
#include "real.hpp"

namespace kumiko::pthread {

namespace {

constinit RealIo functions{};
constinit std::atomic<bool> known{false};

/// Looks all functions up. Two threads may do so at once: they write the same.
void find_all() noexcept {
#define KUMIKO_REAL(name) functions.name = reinterpret_cast<decltype(&::name)>(find_real(#name));
#include "real_io_functions.inc"
#undef KUMIKO_REAL
  // release: pairs with the acquire in real_io().
  known.store(true, std::memory_order_release);
}

}  // namespace

const RealIo& real_io() noexcept {
  // acquire: pairs with the release in find_all().
  if (!known.load(std::memory_order_acquire)) [[unlikely]]
    find_all();
  return functions;
}

}  // namespace kumiko::pthread

// What this library itself calls by a name that it replaces: the linker's --wrap leads here. The
// runtime's own I/O is of descriptors that never block, or in OS threads that may. It is the
// system's call without the C library's function, for that is a cancellation point: one thread may
// do what others wait for, and must not be unwound in the midst of it.
using kumiko::pthread::real_io;

namespace {

template <class Result = ssize_t, class... Arguments>
Result call(long number, Arguments... arguments) noexcept {
  return static_cast<Result>(kumiko::pthread::kumiko_system_call(number, arguments...));
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): names the linker gives
extern "C" {

ssize_t __wrap_read(int descriptor, void* into, size_t size) {
  return call(SYS_read, descriptor, into, size);
}

ssize_t __wrap_readv(int descriptor, const iovec* into, int count) {
  return call(SYS_readv, descriptor, into, count);
}

ssize_t __wrap_preadv2(int descriptor, const iovec* into, int count, off_t offset, int flags) {
  return call(SYS_preadv2, descriptor, into, count, offset, 0L, flags);
}

ssize_t __wrap_write(int descriptor, const void* from, size_t size) {
  return call(SYS_write, descriptor, from, size);
}

ssize_t __wrap_writev(int descriptor, const iovec* from, int count) {
  return call(SYS_writev, descriptor, from, count);
}

ssize_t __wrap_pwritev2(int descriptor, const iovec* from, int count, off_t offset, int flags) {
  return call(SYS_pwritev2, descriptor, from, count, offset, 0L, flags);
}

int __wrap_eventfd_write(int descriptor, eventfd_t value) {
  return call(SYS_write, descriptor, &value, sizeof value) == sizeof value ? 0 : -1;
}

int __wrap_sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* time) {
  constexpr std::size_t kKernelSetSize = 8;
  return call<int>(SYS_rt_sigtimedwait, set, info, time, kKernelSetSize);
}

ssize_t __wrap_recv(int descriptor, void* into, size_t size, int flags) {
  return call(SYS_recvfrom, descriptor, into, size, flags, nullptr, nullptr);
}

ssize_t __wrap_recvmsg(int descriptor, msghdr* message, int flags) {
  return call(SYS_recvmsg, descriptor, message, flags);
}

ssize_t __wrap_send(int descriptor, const void* from, size_t size, int flags) {
  return call(SYS_sendto, descriptor, from, size, flags, nullptr, 0L);
}

ssize_t __wrap_sendmsg(int descriptor, const msghdr* message, int flags) {
  return call(SYS_sendmsg, descriptor, message, flags);
}

int __wrap_accept4(int descriptor, sockaddr* address, socklen_t* size, int flags) {
  return kumiko::pthread::accept_at_once(descriptor, address, size, flags);
}

int __wrap_connect(int descriptor, const sockaddr* address, socklen_t size) {
  return call<int>(SYS_connect, descriptor, address, size);
}

int __wrap_close(int descriptor) { return call<int>(SYS_close, descriptor); }

int __wrap_fsync(int descriptor) { return call<int>(SYS_fsync, descriptor); }

int __wrap_fdatasync(int descriptor) { return call<int>(SYS_fdatasync, descriptor); }

int __wrap_poll(pollfd* watched, nfds_t count, int timeout) {
  return call<int>(SYS_poll, watched, count, timeout);
}

int __wrap_epoll_wait(int descriptor, epoll_event* events, int count, int timeout) {
  return call<int>(SYS_epoll_wait, descriptor, events, count, timeout);
}

pid_t __wrap_waitpid(pid_t child, int* status, int options) {
  return call<pid_t>(SYS_wait4, child, status, options, nullptr);
}

int __wrap_getaddrinfo(const char* host, const char* service, const addrinfo* hints,
                       addrinfo** found) {
  return real_io().getaddrinfo(host, service, hints, found);
}

int __wrap_socket(int domain, int type, int protocol) {
  return real_io().socket(domain, type, protocol);
}

int __wrap_socketpair(int domain, int type, int protocol, int* pair) {
  return real_io().socketpair(domain, type, protocol, pair);
}

int __wrap_pipe2(int* ends, int flags) { return real_io().pipe2(ends, flags); }

int __wrap_eventfd(unsigned value, int flags) { return real_io().eventfd(value, flags); }

int __wrap_epoll_create1(int flags) { return real_io().epoll_create1(flags); }

int __wrap_fcntl(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return real_io().fcntl(descriptor, command, argument);
}

int __wrap_open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return real_io().open(path, flags, mode);
}

int __wrap_fclose(FILE* stream) { return real_io().fclose(stream); }
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
