#include "io/operation.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <mutex>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "core/worker.hpp"

namespace kumiko::runtime::detail {

namespace {

/// Calls `call` until it is not interrupted by a signal. Returns its result or -errno.
template <class Call>
std::int64_t call_system(Call call) noexcept {
  for (;;) {
    const auto result = call();
    if (result >= 0) return static_cast<std::int64_t>(result);
    if (errno != EINTR) return -errno;
  }
}

// The flags of a request to read or write are 0.

std::int64_t receive(const Request& wanted) noexcept {
  const iovec& into = *wanted.vectors;
  return call_system([&] {
    return ::recv(wanted.descriptor, into.iov_base, into.iov_len, wanted.flags | MSG_DONTWAIT);
  });
}

std::int64_t receive(const Request& wanted, msghdr& message) noexcept {
  return call_system(
      [&] { return ::recvmsg(wanted.descriptor, &message, wanted.flags | MSG_DONTWAIT); });
}

std::int64_t send(const Request& wanted) noexcept {
  const iovec& from = *wanted.vectors;
  const int flags = wanted.flags | MSG_DONTWAIT | MSG_NOSIGNAL;
  return call_system([&] { return ::send(wanted.descriptor, from.iov_base, from.iov_len, flags); });
}

std::int64_t send(const Request& wanted, const msghdr& message) noexcept {
  const int flags = wanted.flags | MSG_DONTWAIT | MSG_NOSIGNAL;
  return call_system([&] { return ::sendmsg(wanted.descriptor, &message, flags); });
}

short ready_events(int descriptor, short events) noexcept {
  pollfd entry{descriptor, events, 0};
  return ::poll(&entry, 1, 0) == 1 ? entry.revents : short{0};
}

/// Writing to a pipe that nobody reads raises SIGPIPE, which sendmsg's MSG_NOSIGNAL cannot prevent.
/// Blocked, it stays pending on this OS thread, from where it is taken again.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() noexcept {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;
  ~WithoutPipeSignal() {
    const timespec now{};
    if (!was_pending_) sigtimedwait(&signal_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signal_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace

bool Operation::concerns_file(DescriptorKind target) const noexcept {
  switch (kind) {
    case Kind::kReadAt:
    case Kind::kWriteAt:
    case Kind::kSync:
    case Kind::kSyncData:
    case Kind::kOpen:
    case Kind::kRename:
      return true;
    case Kind::kRead:
      return target == DescriptorKind::kFile;
    case Kind::kWrite:
      return target == DescriptorKind::kFile || target == DescriptorKind::kDevice;
    default:
      return false;
  }
}

Operation::Direction Operation::direction() const noexcept {
  const short events = wanted_events();
  if (events == POLLOUT) return Direction::kOut;
  // An operation that waits for a hang-up alone is not among the readers, whose news do not concern
  // it.
  const bool in = (events & POLLIN) != 0 && (events & ~(POLLIN | POLLRDHUP)) == 0;
  return in ? Direction::kIn : Direction::kEither;
}

short Operation::wanted_events() const noexcept {
  switch (kind) {
    case Kind::kRead:
    case Kind::kReceive:
    case Kind::kReceiveMessage:
    case Kind::kAccept:
      return POLLIN | POLLRDHUP;
    case Kind::kWrite:
    case Kind::kSend:
    case Kind::kSendMessage:
      return POLLOUT;
    default:
      return static_cast<short>(flags);
  }
}

std::int64_t Operation::attempt(DescriptorKind target) noexcept {
  switch (kind) {
    case Kind::kRead:
      return attempt_read(target);
    case Kind::kWrite:
      return attempt_write(target);
    case Kind::kReceive:
      return receive(*this);
    case Kind::kSend:
      return send(*this);
    case Kind::kReceiveMessage:
      return receive(*this, *message);
    case Kind::kSendMessage:
      return send(*this, *message);
    case Kind::kAccept:
      return call_system(
          [this] { return ::accept4(descriptor, address, address_size, SOCK_CLOEXEC); });
    case Kind::kPoll:
      return attempt_poll();
    default:
      return -EINVAL;
  }
}

namespace {

/// The lock under which descriptors without RWF_NOWAIT (FIFOs, terminals) are used: of two threads
/// that have seen the same readiness one would block its worker.
SpinLock& turn_of(int descriptor) noexcept {
  static constinit std::array<SpinLock, 64> turns;
  return turns[static_cast<std::size_t>(descriptor) % turns.size()];
}

}  // namespace

msghdr& Operation::message_of_vectors() noexcept {
  own_message_.msg_iov = const_cast<iovec*>(vectors);
  own_message_.msg_iovlen = static_cast<std::size_t>(vector_count);
  return own_message_;
}

std::int64_t Operation::attempt_read(DescriptorKind target) noexcept {
  if (is_socket(target)) {
    return vector_count == 1 ? receive(*this) : receive(*this, message_of_vectors());
  }
  const std::int64_t result =
      call_system([this] { return ::preadv2(descriptor, vectors, vector_count, -1, RWF_NOWAIT); });
  if (result != -EOPNOTSUPP && result != -ENOSYS) return result;
  const std::lock_guard turn(turn_of(descriptor));
  if (ready_events(descriptor, POLLIN) == 0) return -EAGAIN;
  return call_system([this] { return ::readv(descriptor, vectors, vector_count); });
}

std::int64_t Operation::attempt_write(DescriptorKind target) noexcept {
  if (is_socket(target)) {
    return vector_count == 1 ? send(*this) : send(*this, message_of_vectors());
  }
  const WithoutPipeSignal no_signal;
  const std::int64_t result =
      call_system([this] { return ::pwritev2(descriptor, vectors, vector_count, -1, RWF_NOWAIT); });
  if (result != -EOPNOTSUPP && result != -ENOSYS) return result;
  const std::lock_guard turn(turn_of(descriptor));
  if (ready_events(descriptor, POLLOUT) == 0) return -EAGAIN;
  // What is ready takes so much without waiting.
  const iovec* const first =
      std::find_if(vectors, vectors + vector_count, [](const iovec& v) { return v.iov_len != 0; });
  return call_system([this, first] {
    return ::write(descriptor, first->iov_base, std::min<std::size_t>(first->iov_len, PIPE_BUF));
  });
}

std::int64_t Operation::attempt_poll() const noexcept {
  const short events = ready_events(descriptor, static_cast<short>(flags));
  if ((events & POLLNVAL) != 0) return -EBADF;
  return events != 0 ? events : -EAGAIN;
}

std::int64_t Operation::execute() noexcept {
  switch (kind) {
    case Kind::kRead:
      return call_system([this] { return ::readv(descriptor, vectors, vector_count); });
    case Kind::kWrite: {
      const WithoutPipeSignal no_signal;
      return call_system([this] { return ::writev(descriptor, vectors, vector_count); });
    }
    case Kind::kReadAt:
      return call_system([this] { return ::preadv(descriptor, vectors, vector_count, offset); });
    case Kind::kWriteAt:
      return call_system([this] { return ::pwritev(descriptor, vectors, vector_count, offset); });
    case Kind::kSync:
      return call_system([this] { return ::fsync(descriptor); });
    case Kind::kSyncData:
      return call_system([this] { return ::fdatasync(descriptor); });
    case Kind::kOpen:
      return call_system([this] { return ::open(path, flags, mode); });
    case Kind::kRename:
      return call_system([this] { return ::rename(path, new_path); });
    case Kind::kClose:
      if (keeps_open) return 0;
      // It is not tried again: Linux has let the descriptor go whatever close() says.
      return ::close(descriptor) == 0 || errno == EINTR ? 0 : -errno;
    case Kind::kCall:
      call(callable);
      return 0;
    default:
      return -EINVAL;
  }
}

namespace {

constexpr std::array<const char*, 17> kWaitReasons{
    "a read of descriptor",    "a write to descriptor",  "a read of file",
    "a write to file",         "a receive of socket",    "a send to socket",
    "a message of socket",     "a message to socket",    "a connection to socket",
    "readiness of descriptor", "fsync of file",          "fdatasync of file",
    "the opening of a file",   "the renaming of a file", "the closing of descriptor",
    "a blocking call",         "time to pass, or a stop"};
static_assert(kWaitReasons.size() == static_cast<std::size_t>(Operation::Kind::kSleep) + 1);

}  // namespace

WaitReason Operation::wait_reason() const noexcept {
  // Reports print the number where others have an address.
  const auto number = static_cast<std::uintptr_t>(descriptor);
  return {kWaitReasons[static_cast<std::size_t>(kind)],
          descriptor < 0 ? nullptr : reinterpret_cast<void*>(number)};
}

bool Operation::wait(const Deadline* deadline) noexcept {
  guard_.lock();
  if (!done_ && !interrupted_) {
    waiters_.wait(guard_, wait_reason(), deadline);
    guard_.lock();
  }
  const bool done = done_;
  guard_.unlock();
  return done;
}

void Operation::wait_to_the_end() noexcept {
  guard_.lock();
  while (!done_) {
    waiters_.wait(guard_, wait_reason());
    guard_.lock();
  }
  guard_.unlock();
}

/// The waiting thread sees done_ under the guard, so unlocking that is our last access, unless the
/// thread waits: then it is until we wake it.
void Operation::complete(std::int64_t result) noexcept {
  guard_.lock();
  result_ = result;
  done_ = true;
  unlock_and_resume();
}

void Operation::interrupt() noexcept {
  guard_.lock();
  interrupted_ = true;
  unlock_and_resume();
}

void Operation::unlock_and_resume() noexcept {
  Waiter* const waiter = waiters_.pop();
  guard_.unlock();
  if (waiter != nullptr) resume_after_io(*waiter);
}

void resume_after_io(Waiter& waiter) noexcept {
  Worker* const worker = current_worker();
  Descriptor* const thread = waiter.thread();
  if (worker != nullptr && thread != nullptr && thread->home == &worker->scheduler()) {
    worker->make_event_ready(*thread);
  } else {
    waiter.wake();
  }
}

}  // namespace kumiko::runtime::detail
