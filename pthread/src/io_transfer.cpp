// read(), write() and their like: a lightweight thread that must wait lets others run meanwhile.
#include <cerrno>
#include <climits>
#include <csignal>
#include <new>
#include <utility>
#include <vector>

#include "interpose.hpp"
#include "io_support.hpp"
#include "ours.hpp"
#include "real.hpp"
#include "signals.hpp"
#include "thread_record.hpp"

namespace kumiko::pthread {

namespace {

/// Raises SIGPIPE for a write that a pipe or socket without a reader has refused; the default
/// action ends the process, as always, and a handler may end the thread.
std::int64_t with_pipe_signal(std::int64_t result, int flags = 0) {
  if (result == -EPIPE && (flags & MSG_NOSIGNAL) == 0) ours::our_raise(SIGPIPE);
  return result;
}

/// Whether the running thread believes that it blocks SIGPIPE. Its worker does not.
bool blocks_pipe_signal() noexcept {
  const ThreadRecord* const thread = ThreadRecord::running();
  return thread != nullptr && sigismember(&thread->signal_mask, SIGPIPE) == 1;
}

/// The flags of a call that the C library makes in the thread's place.
int flags_of_thread(int flags) noexcept {
  return blocks_pipe_signal() ? flags | MSG_NOSIGNAL : flags;
}

/// Returns what write() does, which does not suspend. A cancellation point, as the C library's are.
template <class Write>
ssize_t as_thread_blocks(Write write) {
  if (!blocks_pipe_signal()) return write();
  // The worker blocks SIGPIPE meanwhile, and what has come of it by then is forgotten.
  const sigset_t signal = set_of(SIGPIPE);
  const MaskChange change(SIG_BLOCK, signal);
  const Finally forget([&signal] {
    const int saved_errno = errno;
    const timespec now{};
    sigtimedwait(&signal, nullptr, &now);
    errno = saved_errno;
  });
  return write();
}

std::int64_t read_once(int descriptor, const iovec* vectors, int count) {
  const Request read{.kind = Request::Kind::kRead,
                     .descriptor = descriptor,
                     .vectors = vectors,
                     .vector_count = count};
  if (read.length() == 0) return real().readv(descriptor, vectors, count) < 0 ? -errno : 0;
  return run(read, deadline_of_socket(descriptor, SO_RCVTIMEO));
}

/// Vectors of which the first bytes are done.
class Rest {
 public:
  Rest(const iovec* vectors, std::size_t count) : vectors_(vectors, vectors + count) {}

  void take(std::size_t bytes) noexcept {
    while (first_ < vectors_.size() && bytes >= vectors_[first_].iov_len) {
      bytes -= vectors_[first_++].iov_len;
    }
    if (first_ == vectors_.size()) return;
    vectors_[first_].iov_base = static_cast<char*>(vectors_[first_].iov_base) + bytes;
    vectors_[first_].iov_len -= bytes;
  }

  bool empty() const noexcept { return first_ == vectors_.size(); }
  iovec* data() noexcept { return vectors_.data() + first_; }
  std::size_t size() const noexcept { return vectors_.size() - first_; }

 private:
  std::vector<iovec> vectors_;
  std::size_t first_ = 0;
};

/// Calls step(rest, count, how) until nothing is left, as calls in blocking mode do. Returns the
/// bytes, or the error if there are none. Once there are some, cancellation does not lose them.
template <class Step>
std::int64_t repeat(const iovec* vectors, std::size_t count, Step step) {
  std::int64_t sum = step(vectors, count, Cancelled::kUnwinds);
  if (sum < 0) return sum;
  std::size_t length = 0;
  for (std::size_t i = 0; i < count; ++i) length += vectors[i].iov_len;
  if (static_cast<std::size_t>(sum) >= length) return sum;
  try {
    Rest rest(vectors, count);
    rest.take(static_cast<std::size_t>(sum));
    while (!rest.empty()) {
      const std::int64_t moved = step(rest.data(), rest.size(), Cancelled::kReturns);
      if (moved <= 0) break;
      sum += moved;
      rest.take(static_cast<std::size_t>(moved));
    }
  } catch (const std::bad_alloc&) {
    // Less than all, which a caller must expect.
  }
  return sum;
}

std::int64_t write_all(int descriptor, const iovec* vectors, int count) {
  const Deadline deadline = deadline_of_socket(descriptor, SO_SNDTIMEO);
  return repeat(vectors, static_cast<std::size_t>(count),
                [&](const iovec* rest, std::size_t rest_count, Cancelled cancelled) {
                  const Request write{.kind = Request::Kind::kWrite,
                                      .descriptor = descriptor,
                                      .vectors = rest,
                                      .vector_count = static_cast<int>(rest_count)};
                  if (write.length() == 0) return std::int64_t{0};
                  return run(write, deadline, cancelled);
                });
}

/// Writes nothing, which as a datagram is something.
std::int64_t write_nothing(int descriptor, const void* from) {
  if (socket_option(descriptor, SO_TYPE) < 0) {
    return real().write(descriptor, from, 0) < 0 ? -errno : 0;
  }
  const iovec vector{const_cast<void*>(from), 0};
  const Request send{.kind = Request::Kind::kSend,
                     .descriptor = descriptor,
                     .vectors = &vector,
                     .vector_count = 1};
  return run(send, deadline_of_socket(descriptor, SO_SNDTIMEO));
}

bool is_stream(int descriptor) noexcept {
  return socket_option(descriptor, SO_TYPE) == SOCK_STREAM;
}

std::int64_t message_once(Request::Kind kind, int descriptor, msghdr& message, int flags,
                          Deadline deadline, Cancelled cancelled = Cancelled::kUnwinds) {
  const Request request{
      .kind = kind, .descriptor = descriptor, .flags = flags & ~MSG_WAITALL, .message = &message};
  return run(request, deadline, cancelled);
}

std::int64_t receive(int descriptor, msghdr& message, int flags) {
  const Deadline deadline = deadline_of_socket(descriptor, SO_RCVTIMEO);
  const auto once = [&](msghdr& into, Cancelled cancelled) {
    return message_once(Request::Kind::kReceiveMessage, descriptor, into, flags, deadline,
                        cancelled);
  };
  if ((flags & MSG_WAITALL) == 0 || (flags & MSG_PEEK) != 0 || !is_stream(descriptor)) {
    return once(message, Cancelled::kUnwinds);
  }
  bool first = true;
  return repeat(message.msg_iov, message.msg_iovlen,
                [&](const iovec* rest, std::size_t count, Cancelled cancelled) {
                  if (std::exchange(first, false)) return once(message, cancelled);
                  msghdr more{};
                  more.msg_iov = const_cast<iovec*>(rest);
                  more.msg_iovlen = count;
                  return once(more, cancelled);
                });
}

std::int64_t send_message(int descriptor, const msghdr& message, int flags) {
  const Deadline deadline = deadline_of_socket(descriptor, SO_SNDTIMEO);
  if (!is_stream(descriptor)) {
    return message_once(Request::Kind::kSendMessage, descriptor, const_cast<msghdr&>(message),
                        flags, deadline);
  }
  bool first = true;
  return repeat(message.msg_iov, message.msg_iovlen,
                [&](const iovec* rest, std::size_t count, Cancelled cancelled) {
                  // What goes along with the bytes goes with the first ones only.
                  msghdr part = message;
                  if (!std::exchange(first, false)) {
                    part.msg_control = nullptr;
                    part.msg_controllen = 0;
                  }
                  part.msg_iov = const_cast<iovec*>(rest);
                  part.msg_iovlen = count;
                  return message_once(Request::Kind::kSendMessage, descriptor, part, flags,
                                      deadline, cancelled);
                });
}

bool waits(int descriptor, int flags) {
  return is_ours(descriptor) && (flags & (MSG_DONTWAIT | MSG_ERRQUEUE)) == 0;
}

}  // namespace

}  // namespace kumiko::pthread

using namespace kumiko::pthread;

KUMIKO_INTERPOSE ssize_t read(int descriptor, void* into, size_t size) {
  if (!is_ours(descriptor)) return real().read(descriptor, into, size);
  const iovec vector{into, size};
  return returned(read_once(descriptor, &vector, 1));
}

KUMIKO_INTERPOSE ssize_t __read_chk(int descriptor, void* into, size_t size, size_t capacity) {
  if (size > capacity) return real().__read_chk(descriptor, into, size, capacity);
  return read(descriptor, into, size);
}

KUMIKO_INTERPOSE ssize_t readv(int descriptor, const iovec* into, int count) {
  if (count < 0 || count > IOV_MAX || !is_ours(descriptor)) {
    return real().readv(descriptor, into, count);
  }
  return returned(read_once(descriptor, into, count));
}

KUMIKO_INTERPOSE ssize_t write(int descriptor, const void* from, size_t size) {
  if (!is_ours(descriptor)) {
    return as_thread_blocks([=] { return real().write(descriptor, from, size); });
  }
  if (size == 0) return returned(with_pipe_signal(write_nothing(descriptor, from)));
  const iovec vector{const_cast<void*>(from), size};
  return returned(with_pipe_signal(write_all(descriptor, &vector, 1)));
}

KUMIKO_INTERPOSE ssize_t writev(int descriptor, const iovec* from, int count) {
  if (count < 0 || count > IOV_MAX || !is_ours(descriptor)) {
    return as_thread_blocks([=] { return real().writev(descriptor, from, count); });
  }
  return returned(with_pipe_signal(write_all(descriptor, from, count)));
}

KUMIKO_INTERPOSE ssize_t recvfrom(int descriptor, void* into, size_t size, int flags,
                                  sockaddr* address, socklen_t* address_size) {
  if (!waits(descriptor, flags)) {
    return real().recvfrom(descriptor, into, size, flags, address, address_size);
  }
  iovec vector{into, size};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_name = address;
  message.msg_namelen = address != nullptr && address_size != nullptr ? *address_size : 0;
  const std::int64_t result = receive(descriptor, message, flags);
  if (result >= 0 && address_size != nullptr) *address_size = message.msg_namelen;
  return returned(result);
}

KUMIKO_INTERPOSE ssize_t recv(int descriptor, void* into, size_t size, int flags) {
  return recvfrom(descriptor, into, size, flags, nullptr, nullptr);
}

KUMIKO_INTERPOSE ssize_t __recv_chk(int descriptor, void* into, size_t size, size_t capacity,
                                    int flags) {
  if (size > capacity) return real().__recv_chk(descriptor, into, size, capacity, flags);
  return recvfrom(descriptor, into, size, flags, nullptr, nullptr);
}

KUMIKO_INTERPOSE ssize_t __recvfrom_chk(int descriptor, void* into, size_t size, size_t capacity,
                                        int flags, sockaddr* address, socklen_t* address_size) {
  if (size > capacity) {
    return real().__recvfrom_chk(descriptor, into, size, capacity, flags, address, address_size);
  }
  return recvfrom(descriptor, into, size, flags, address, address_size);
}

KUMIKO_INTERPOSE ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
  if (!waits(descriptor, flags)) return real().recvmsg(descriptor, message, flags);
  return returned(receive(descriptor, *message, flags));
}

KUMIKO_INTERPOSE ssize_t sendto(int descriptor, const void* from, size_t size, int flags,
                                const sockaddr* address, socklen_t address_size) {
  if (!waits(descriptor, flags)) {
    return real().sendto(descriptor, from, size, flags_of_thread(flags), address, address_size);
  }
  iovec vector{const_cast<void*>(from), size};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_name = const_cast<sockaddr*>(address);
  message.msg_namelen = address_size;
  return returned(with_pipe_signal(send_message(descriptor, message, flags), flags));
}

KUMIKO_INTERPOSE ssize_t send(int descriptor, const void* from, size_t size, int flags) {
  return sendto(descriptor, from, size, flags, nullptr, 0);
}

KUMIKO_INTERPOSE ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  if (!waits(descriptor, flags)) {
    return real().sendmsg(descriptor, message, flags_of_thread(flags));
  }
  return returned(with_pipe_signal(send_message(descriptor, *message, flags), flags));
}
