// What makes, connects and closes descriptors.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <mutex>

#include <linux/close_range.h>
#include <sys/syscall.h>

#include "interpose.hpp"
#include "io_support.hpp"
#include "port/port.hpp"
#include "real.hpp"
#include "thread_record.hpp"
#include "turns.hpp"

namespace kumiko::pthread {

namespace {

/// Held while a listening socket is in non-blocking mode for the sake of accept_at_once(), and by
/// lightweight threads that look at descriptors' modes or set them. One for all: descriptors may be
/// duplicates of one socket.
constinit runtime::port::SpinLock mode_lock;

/// Sets a descriptor to non-blocking mode for as long as this lives.
class NonBlocking {
 public:
  explicit NonBlocking(int descriptor) noexcept
      : descriptor_(descriptor), flags_(real().fcntl(descriptor, F_GETFL)) {
    if (is_changed()) real().fcntl(descriptor_, F_SETFL, flags_ | O_NONBLOCK);
  }
  NonBlocking(const NonBlocking&) = delete;
  NonBlocking& operator=(const NonBlocking&) = delete;
  ~NonBlocking() {
    if (is_changed()) real().fcntl(descriptor_, F_SETFL, flags_);
  }

  /// Leaves the mode alone: the descriptor was closed meanwhile, and its number may be another's.
  void forget() noexcept { flags_ = -1; }

 private:
  bool is_changed() const noexcept { return flags_ >= 0 && (flags_ & O_NONBLOCK) == 0; }

  const int descriptor_;
  int flags_;
};

/// What is_ours() says while nobody else changes the mode.
bool is_ours_now(int descriptor) {
  if (ThreadRecord::running() == nullptr) return false;
  // This may suspend, which nobody may while the lock is held.
  count_turn(kWeightOfCall);
  const std::lock_guard guard(mode_lock);
  return can_wait_for(descriptor);
}

bool is_blocking_now(int descriptor) noexcept {
  const std::lock_guard guard(mode_lock);
  const int flags = real().fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

bool is_listening(int descriptor) noexcept { return socket_option(descriptor, SO_ACCEPTCONN) > 0; }

/// `flags` of accept4().
int finish_accept(std::int64_t result, int flags) noexcept {
  if (result < 0) return returned<int>(result);
  const int descriptor = static_cast<int>(result);
  note_new(descriptor);
  // The runtime has set FD_CLOEXEC.
  if ((flags & SOCK_CLOEXEC) == 0) fcntl(descriptor, F_SETFD, 0);
  if ((flags & SOCK_NONBLOCK) != 0) fcntl(descriptor, F_SETFL, O_NONBLOCK);
  return descriptor;
}

int accept_any(int descriptor, sockaddr* address, socklen_t* size, int flags) {
  if (is_listening(descriptor) && is_ours_now(descriptor)) {
    const Request accept{.kind = Request::Kind::kAccept,
                         .descriptor = descriptor,
                         .address = address,
                         .address_size = size};
    return finish_accept(run(accept, deadline_of_socket(descriptor, SO_RCVTIMEO)), flags);
  }
  for (;;) {
    const int accepted = note_new(real().accept4(descriptor, address, size, flags));
    if (accepted >= 0 || errno != EAGAIN) return accepted;
    // Lightweight threads may have changed the mode for a moment.
    const bool limited = deadline_of_socket(descriptor, SO_RCVTIMEO) != Deadline::max();
    if (limited || ThreadRecord::running() != nullptr || !is_blocking_now(descriptor)) {
      return returned<int>(-EAGAIN);
    }
  }
}

/// The error that the system has noted for a socket meanwhile (SO_ERROR).
std::int64_t socket_error(int descriptor) noexcept {
  const int error = socket_option(descriptor, SO_ERROR);
  return error < 0 ? -errno : -error;
}

std::int64_t connect_ours(int descriptor, const sockaddr* address, socklen_t size) {
  real().pthread_testcancel();
  const Deadline deadline = deadline_of_socket(descriptor, SO_SNDTIMEO);
  NonBlocking mode(descriptor);
  Patience patience;
  std::int64_t result = 0;
  for (;;) {
    result = real().connect(descriptor, address, size) == 0 ? 0 : -errno;
    if (result != -EAGAIN || address->sa_family != AF_UNIX) break;
    // The listener's queue is full, and nothing announces room in it.
    if (Deadline::clock::now() >= deadline) return result;
    patience.sleep(deadline);
  }
  if (result != -EINPROGRESS && result != -EALREADY && result != -EINTR) return result;
  const Request poll{.kind = Request::Kind::kPoll, .descriptor = descriptor, .flags = POLLOUT};
  const std::int64_t ready = run(poll, deadline);
  if (ready == -EBADF) mode.forget();
  if (ready < 0) return ready == -EAGAIN ? -EINPROGRESS : ready;
  return socket_error(descriptor);
}

template <class Pair>
int noted(int result, const Pair& pair) noexcept {
  if (result == 0) {
    note_new(pair[0]);
    note_new(pair[1]);
  }
  return result;
}

/// Makes a duplicate, maybe onto a number that is in use: whoever waits for the old descriptor must
/// not wait for the new one.
template <class Duplicate>
int noted_duplicate(int from, int to, Duplicate duplicate) noexcept {
  if (from == to) return duplicate();
  if (real().fcntl(from, F_GETFD) >= 0) note_new(to);
  return note_new(duplicate());
}

/// Tells those who wait for the descriptors, before these are closed.
void note_to_be_closed(unsigned first, unsigned last) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == 0) return;
  last = static_cast<unsigned>(std::min<rlim_t>({last, limit.rlim_cur - 1, INT_MAX - 1}));
  if (first <= last) note_range(static_cast<int>(first), static_cast<int>(last));
}

/// fcntl() by a lightweight thread.
int control_ours(int descriptor, int command, void* argument) noexcept {
  const std::lock_guard guard(mode_lock);
  return real().fcntl(descriptor, command, argument);
}

int control(int descriptor, int command, void* argument) {
  const bool concerns_mode = command == F_GETFL || command == F_SETFL;
  if (concerns_mode && ThreadRecord::running() != nullptr) {
    return control_ours(descriptor, command, argument);
  }
  const int result = real().fcntl(descriptor, command, argument);
  return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? note_new(result) : result;
}

}  // namespace

int accept_at_once(int descriptor, sockaddr* address, socklen_t* size, int flags) noexcept {
  const std::lock_guard guard(mode_lock);
  pollfd watched{descriptor, POLLIN, 0};
  if (poll(&watched, 1, 0) == 0) return returned<int>(-EAGAIN);
  // Another process may have taken the connection.
  const NonBlocking mode(descriptor);
  return static_cast<int>(kumiko_system_call(SYS_accept4, descriptor, address, size, flags));
}

void forget_modes() noexcept { mode_lock.unlock(); }

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE int accept4(int descriptor, sockaddr* address, socklen_t* size, int flags) {
  return accept_any(descriptor, address, size, flags);
}

KUMIKO_INTERPOSE int accept(int descriptor, sockaddr* address, socklen_t* size) {
  return accept_any(descriptor, address, size, 0);
}

KUMIKO_INTERPOSE int connect(int descriptor, const sockaddr* address, socklen_t size) {
  if (!is_ours(descriptor)) return real().connect(descriptor, address, size);
  return returned<int>(connect_ours(descriptor, address, size));
}

KUMIKO_INTERPOSE int socket(int domain, int type, int protocol) {
  return note_new(real().socket(domain, type, protocol));
}

KUMIKO_INTERPOSE int socketpair(int domain, int type, int protocol, int* pair) {
  return noted(real().socketpair(domain, type, protocol, pair), pair);
}

KUMIKO_INTERPOSE int pipe(int* ends) { return noted(real().pipe(ends), ends); }

KUMIKO_INTERPOSE int pipe2(int* ends, int flags) { return noted(real().pipe2(ends, flags), ends); }

KUMIKO_INTERPOSE int close(int descriptor) { return returned<int>(close_descriptor(descriptor)); }

KUMIKO_INTERPOSE int fclose(FILE* stream) {
  note_new(fileno(stream));
  return real().fclose(stream);
}

KUMIKO_INTERPOSE int pclose(FILE* stream) {
  note_new(fileno(stream));
  return real().pclose(stream);
}

KUMIKO_INTERPOSE int close_range(unsigned first, unsigned last, int flags) {
  if ((static_cast<unsigned>(flags) & CLOSE_RANGE_CLOEXEC) == 0) note_to_be_closed(first, last);
  return real().close_range(first, last, flags);
}

KUMIKO_INTERPOSE void closefrom(int first) {
  note_to_be_closed(static_cast<unsigned>(std::max(first, 0)), UINT_MAX);
  real().closefrom(first);
}

KUMIKO_INTERPOSE int dup(int from) { return note_new(real().dup(from)); }

KUMIKO_INTERPOSE int dup2(int from, int to) {
  return noted_duplicate(from, to, [=] { return real().dup2(from, to); });
}

KUMIKO_INTERPOSE int dup3(int from, int to, int flags) {
  return noted_duplicate(from, to, [=] { return real().dup3(from, to, flags); });
}

// Their third argument is an int, a pointer or nothing: a register either way.
KUMIKO_INTERPOSE int fcntl(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return control(descriptor, command, argument);
}

KUMIKO_INTERPOSE int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return note_new(real().open(path, flags, mode));
}

KUMIKO_INTERPOSE int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return note_new(real().openat(folder, path, flags, mode));
}

// Offsets have 64 bits anyway.
KUMIKO_INTERPOSE [[gnu::alias("fcntl")]] decltype(fcntl64) fcntl64;
KUMIKO_INTERPOSE [[gnu::alias("open")]] decltype(open64) open64;
KUMIKO_INTERPOSE [[gnu::alias("openat")]] decltype(openat64) openat64;

KUMIKO_INTERPOSE int epoll_create(int size) { return note_new(real().epoll_create(size)); }

KUMIKO_INTERPOSE int epoll_create1(int flags) { return note_new(real().epoll_create1(flags)); }

KUMIKO_INTERPOSE int eventfd(unsigned value, int flags) {
  return note_new(real().eventfd(value, flags));
}

KUMIKO_INTERPOSE int timerfd_create(clockid_t clock, int flags) {
  return note_new(real().timerfd_create(clock, flags));
}

KUMIKO_INTERPOSE int inotify_init() { return note_new(real().inotify_init()); }

KUMIKO_INTERPOSE int inotify_init1(int flags) { return note_new(real().inotify_init1(flags)); }

KUMIKO_INTERPOSE int signalfd(int descriptor, const sigset_t* mask, int flags) {
  const int result = real().signalfd(descriptor, mask, flags);
  return descriptor < 0 ? note_new(result) : result;
}
