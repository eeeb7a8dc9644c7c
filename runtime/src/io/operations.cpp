#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kumiko/runtime/io/file_descriptor.hpp>
#include <kumiko/runtime/io/operations.hpp>

#include "io/call.hpp"
#include "io/operation.hpp"

namespace kumiko::runtime::io {

namespace {

using detail::Operation;
using detail::Request;
using Kind = Request::Kind;

std::error_code error_code(std::int64_t result) noexcept {
  return {static_cast<int>(-result), std::generic_category()};
}

template <class T>
Result<T> result_of(std::int64_t result) noexcept {
  if (result < 0) return error_code(result);
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return static_cast<T>(result);
  }
}

template <class T>
Result<T> fulfil(const Request& request, const Limits& limits) {
  Operation operation(request);
  return result_of<T>(detail::run(operation, limits));
}

Result<std::size_t> fulfil_unless_flagged(const Request& request, const Limits& limits) {
  Operation operation(request);
  return result_of<std::size_t>(detail::run_unless_flagged(operation, limits));
}

iovec vector_of(std::span<std::byte> bytes) noexcept { return {bytes.data(), bytes.size()}; }
iovec vector_of(std::span<const std::byte> bytes) noexcept {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

/// Reads into vectors or writes from them.
Result<std::size_t> transfer(Kind kind, int descriptor, std::span<const iovec> vectors,
                             off_t offset, const Limits& limits) {
  if (vectors.size() > IOV_MAX) return error_code(-EINVAL);
  const Request request{.kind = kind,
                        .descriptor = descriptor,
                        .offset = offset,
                        .vectors = vectors.data(),
                        .vector_count = static_cast<int>(vectors.size())};
  if (request.length() == 0) return std::size_t{0};
  return fulfil<std::size_t>(request, limits);
}

template <class Byte>
Result<std::size_t> transfer(Kind kind, int descriptor, std::span<Byte> bytes, off_t offset,
                             const Limits& limits) {
  const iovec vector = vector_of(bytes);
  return transfer(kind, descriptor, std::span(&vector, 1), offset, limits);
}

const std::error_code kNothingTaken = std::make_error_code(std::errc::io_error);

/// Calls step(rest, bytes so far) until all of `bytes` has been transferred, a step transfers
/// nothing, or fails.
template <class Byte, class Step>
Transfer transfer_all(std::span<Byte> bytes, std::error_code at_end, Step step) {
  Transfer sum;
  while (sum.bytes < bytes.size()) {
    const Result<std::size_t> moved = step(bytes.subspan(sum.bytes), sum.bytes);
    if (!moved) {
      sum.error = moved.error();
      break;
    }
    if (*moved == 0) {
      sum.error = at_end;
      break;
    }
    sum.bytes += *moved;
  }
  return sum;
}

/// The error that the system has noted for a socket meanwhile (SO_ERROR).
std::int64_t socket_error(int descriptor) noexcept {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return -errno;
  return -error;
}

// These are functions of their own since their callers go on with other errnos after each
// suspension, while a compiler keeps the address of one.

/// Returns what ::connect() does, or -errno.
[[gnu::noinline]] int try_to_connect(int descriptor, const sockaddr* address,
                                     socklen_t size) noexcept {
  return ::connect(descriptor, address, size) == 0 ? 0 : -errno;
}

/// Returns what waitpid() does without waiting, or -errno.
[[gnu::noinline]] int try_to_reap(pid_t child, int& status) noexcept {
  const pid_t ended = ::waitpid(child, &status, WNOHANG);
  return ended >= 0 ? ended : -errno;
}

/// Sets a descriptor to non-blocking mode for as long as this lives.
class NonBlocking {
 public:
  explicit NonBlocking(int descriptor) noexcept
      : descriptor_(descriptor), flags_(fcntl(descriptor, F_GETFL)) {
    if (flags_ >= 0 && (flags_ & O_NONBLOCK) == 0) {
      fcntl(descriptor_, F_SETFL, flags_ | O_NONBLOCK);
    }
  }
  /// Leaves the mode alone: the descriptor was closed meanwhile, and its number may be another's.
  void forget() noexcept { flags_ = -1; }
  NonBlocking(const NonBlocking&) = delete;
  NonBlocking& operator=(const NonBlocking&) = delete;
  ~NonBlocking() {
    if (flags_ >= 0 && (flags_ & O_NONBLOCK) == 0) fcntl(descriptor_, F_SETFL, flags_);
  }

 private:
  const int descriptor_;
  int flags_;
};

}  // namespace

std::error_code make_error_code(TransferError error) noexcept {
  struct Category final : std::error_category {
    const char* name() const noexcept override { return "kumiko::runtime::io"; }
    std::string message(int) const override { return "the input ended before all was read"; }
  };
  static const Category category;
  return {static_cast<int>(error), category};
}

Result<std::size_t> read(int descriptor, std::span<std::byte> into, const Limits& limits) {
  return transfer(Kind::kRead, descriptor, into, -1, limits);
}

Result<std::size_t> readv(int descriptor, std::span<const iovec> into, const Limits& limits) {
  return transfer(Kind::kRead, descriptor, into, -1, limits);
}

Result<std::size_t> write(int descriptor, std::span<const std::byte> from, const Limits& limits) {
  return transfer(Kind::kWrite, descriptor, from, -1, limits);
}

Result<std::size_t> writev(int descriptor, std::span<const iovec> from, const Limits& limits) {
  return transfer(Kind::kWrite, descriptor, from, -1, limits);
}

Result<std::size_t> pread(int descriptor, std::span<std::byte> into, off_t offset,
                          const Limits& limits) {
  if (offset < 0) return error_code(-EINVAL);  // to io_uring -1 would be the file's position
  return transfer(Kind::kReadAt, descriptor, into, offset, limits);
}

Result<std::size_t> pwrite(int descriptor, std::span<const std::byte> from, off_t offset,
                           const Limits& limits) {
  if (offset < 0) return error_code(-EINVAL);
  return transfer(Kind::kWriteAt, descriptor, from, offset, limits);
}

Transfer read_exactly(int descriptor, std::span<std::byte> into, const Limits& limits) {
  return transfer_all(
      into, TransferError::kEndOfInput,
      [&](std::span<std::byte> rest, std::size_t) { return read(descriptor, rest, limits); });
}

Transfer write_all(int descriptor, std::span<const std::byte> from, const Limits& limits) {
  return transfer_all(from, kNothingTaken, [&](std::span<const std::byte> rest, std::size_t) {
    return write(descriptor, rest, limits);
  });
}

Transfer pread_exactly(int descriptor, std::span<std::byte> into, off_t offset,
                       const Limits& limits) {
  return transfer_all(into, TransferError::kEndOfInput,
                      [&](std::span<std::byte> rest, std::size_t done) {
                        return pread(descriptor, rest, offset + static_cast<off_t>(done), limits);
                      });
}

Transfer pwrite_all(int descriptor, std::span<const std::byte> from, off_t offset,
                    const Limits& limits) {
  return transfer_all(from, kNothingTaken, [&](std::span<const std::byte> rest, std::size_t done) {
    return pwrite(descriptor, rest, offset + static_cast<off_t>(done), limits);
  });
}

Result<void> fsync(int descriptor, const Limits& limits) {
  return fulfil<void>({.kind = Kind::kSync, .descriptor = descriptor}, limits);
}

Result<void> fdatasync(int descriptor, const Limits& limits) {
  return fulfil<void>({.kind = Kind::kSyncData, .descriptor = descriptor}, limits);
}

Result<int> open(const char* path, int flags, mode_t mode, const Limits& limits) {
  return fulfil<int>({.kind = Kind::kOpen, .flags = flags | O_CLOEXEC, .mode = mode, .path = path},
                     limits);
}

Result<void> rename(const char* from, const char* to, const Limits& limits) {
  return fulfil<void>({.kind = Kind::kRename, .path = from, .new_path = to}, limits);
}

Result<void> close(int descriptor) { return result_of<void>(detail::run_close(descriptor)); }

Result<int> accept(int descriptor, sockaddr* address, socklen_t* size, const Limits& limits) {
  // Another process may take the connection between its announcement and our call.
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) return error_code(-errno);
  if ((flags & O_NONBLOCK) == 0) fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
  return fulfil<int>(
      {.kind = Kind::kAccept, .descriptor = descriptor, .address = address, .address_size = size},
      limits);
}

Result<void> connect(int descriptor, const sockaddr* address, socklen_t size,
                     const Limits& limits) {
  NonBlocking mode(descriptor);
  std::int64_t result = try_to_connect(descriptor, address, size);
  if (result == -EAGAIN && address->sa_family == AF_UNIX) {
    // The listener's queue is full, and nothing announces room in it.
    std::chrono::microseconds pause{100};
    while (result == -EAGAIN) {
      const auto time = std::min(limits.deadline, std::chrono::steady_clock::now() + pause);
      if (const Result<void> slept = sleep(until(time, limits.stop)); !slept) return slept;
      result = try_to_connect(descriptor, address, size);
      if (result == -EAGAIN && time == limits.deadline) result = -ETIMEDOUT;
      pause = std::min(pause * 2, std::chrono::microseconds(10000));
    }
  }
  if (result != -EINPROGRESS && result != -EINTR) return result_of<void>(result);
  const Result<short> ready = poll(descriptor, POLLOUT, limits);
  if (ready.error() == std::errc::bad_file_descriptor) mode.forget();
  if (!ready) return ready.error();
  return result_of<void>(socket_error(descriptor));
}

Result<std::size_t> recv(int descriptor, std::span<std::byte> into, int flags,
                         const Limits& limits) {
  const iovec vector = vector_of(into);
  return fulfil_unless_flagged({.kind = Kind::kReceive,
                                .descriptor = descriptor,
                                .flags = flags & ~MSG_WAITALL,
                                .vectors = &vector,
                                .vector_count = 1},
                               limits);
}

Result<std::size_t> send(int descriptor, std::span<const std::byte> from, int flags,
                         const Limits& limits) {
  const iovec vector = vector_of(from);
  return fulfil_unless_flagged({.kind = Kind::kSend,
                                .descriptor = descriptor,
                                .flags = flags,
                                .vectors = &vector,
                                .vector_count = 1},
                               limits);
}

Result<std::size_t> recvmsg(int descriptor, msghdr& message, int flags, const Limits& limits) {
  return fulfil_unless_flagged({.kind = Kind::kReceiveMessage,
                                .descriptor = descriptor,
                                .flags = flags & ~MSG_WAITALL,
                                .message = &message},
                               limits);
}

Result<std::size_t> sendmsg(int descriptor, const msghdr& message, int flags,
                            const Limits& limits) {
  return fulfil_unless_flagged({.kind = Kind::kSendMessage,
                                .descriptor = descriptor,
                                .flags = flags,
                                .message = const_cast<msghdr*>(&message)},
                               limits);
}

Result<short> poll(int descriptor, short events, const Limits& limits) {
  return fulfil<short>({.kind = Kind::kPoll, .descriptor = descriptor, .flags = events}, limits);
}

Result<void> sleep(const Limits& limits) {
  Operation operation(Request{.kind = Kind::kSleep});
  detail::wait_within(operation, limits);
  if (limits.stop.stop_requested()) return error_code(-ECANCELED);
  return {};
}

Result<int> wait_for_process(pid_t child, const Limits& limits) {
  if (child <= 0) return error_code(-EINVAL);
  const FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  // ESRCH: no such process; it is waitpid's to say whether there was one.
  if (process.get() < 0 && errno != ESRCH) return error_code(-errno);
  int status = 0;
  while (true) {
    const int ended = try_to_reap(child, status);
    if (ended == child) return status;
    if (ended < 0 && ended != -EINTR) return error_code(ended);
    if (ended < 0) continue;
    const Result<short> ready = poll(process.get(), POLLIN, limits);
    if (!ready) return ready.error();
  }
}

}  // namespace kumiko::runtime::io
