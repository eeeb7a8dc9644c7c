// The system's I/O calls for any descriptor, in a form that blocks only the calling thread.
#pragma once

#include <cstddef>
#include <span>

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/io/result.hpp>

/// Calls of the system that block only the calling thread.
///
/// A lightweight thread is suspended until its operation is done, and its worker runs others; an OS
/// thread blocks. Descriptors may be of any kind and in either mode (O_NONBLOCK changes nothing
/// here, and is not changed). Threads that wait for one direction of a descriptor are served in the
/// order of their arrival. A call interrupted by a signal (EINTR) is repeated.
///
/// Any descriptor may be used, provided that it is closed through the runtime: with io::close(), or
/// by the types in file.hpp, socket.hpp and pipe.hpp. Only threads of one Runtime may use a
/// descriptor at the same time.
///
/// All functions may suspend. Memory and paths that are passed must remain valid until the call
/// returns. No function throws anything but std::bad_alloc.
namespace kumiko::runtime::io {

/// Reads up to into.size() bytes, at least one; 0 means the end of the input (or an empty span).
Result<std::size_t> read(int descriptor, std::span<std::byte> into, const Limits& limits = {});
/// Reads as read() does, into several spans that are filled one after the other.
Result<std::size_t> readv(int descriptor, std::span<const iovec> into, const Limits& limits = {});

/// Writes up to from.size() bytes, at least one unless `from` is empty. If the peer has closed the
/// connection, the error is std::errc::broken_pipe; no signal is raised.
Result<std::size_t> write(int descriptor, std::span<const std::byte> from,
                          const Limits& limits = {});
/// Writes as write() does, from several spans one after the other.
Result<std::size_t> writev(int descriptor, std::span<const iovec> from, const Limits& limits = {});

/// Reads until `into` is full. On error, the result's `bytes` is the number of bytes read before
/// it; if the input ends before `into` is full, the error is TransferError::kEndOfInput.
Transfer read_exactly(int descriptor, std::span<std::byte> into, const Limits& limits = {});

/// Writes all of `from`. On error, the result's `bytes` is the number of bytes written before it;
/// if the descriptor accepts no more bytes, the error is std::errc::io_error.
Transfer write_all(int descriptor, std::span<const std::byte> from, const Limits& limits = {});

/// Reads as read() does, at `offset` of a file, without moving the file's position. If the system
/// has begun a file operation, a limit takes effect only after the operation.
Result<std::size_t> pread(int descriptor, std::span<std::byte> into, off_t offset,
                          const Limits& limits = {});
/// Writes as write() does, at `offset` of a file, without moving the file's position.
Result<std::size_t> pwrite(int descriptor, std::span<const std::byte> from, off_t offset,
                           const Limits& limits = {});
/// Reads as read_exactly() does, at `offset` of a file.
Transfer pread_exactly(int descriptor, std::span<std::byte> into, off_t offset,
                       const Limits& limits = {});
/// Writes as write_all() does, at `offset` of a file.
Transfer pwrite_all(int descriptor, std::span<const std::byte> from, off_t offset,
                    const Limits& limits = {});

/// Waits until the file's data and metadata are on the device, as fsync(2) does.
Result<void> fsync(int descriptor, const Limits& limits = {});
/// Waits as fsync() does, but not for metadata that are not needed to read the file, such as times.
Result<void> fdatasync(int descriptor, const Limits& limits = {});

/// Opens a file as open(2) does, with O_CLOEXEC. Returns the descriptor.
Result<int> open(const char* path, int flags, mode_t mode = 0666, const Limits& limits = {});

/// Renames a file as rename(2) does.
Result<void> rename(const char* from, const char* to, const Limits& limits = {});

/// Closes the descriptor. Threads that wait for it return with std::errc::bad_file_descriptor, and
/// a later descriptor with the same number is not affected. The descriptor is closed even if an
/// error is returned, as with close(2).
Result<void> close(int descriptor);

/// Accepts a connection of a listening socket, with O_CLOEXEC. `address` and `size` are as in
/// accept(2). The listening socket is made non-blocking. Errors of the connection itself
/// (ECONNABORTED) are returned. If no descriptors are left (too_many_files_open), the connection
/// stays queued.
Result<int> accept(int descriptor, sockaddr* address = nullptr, socklen_t* size = nullptr,
                   const Limits& limits = {});

/// Connects a socket. If a limit has ended the call, the socket can only be closed.
Result<void> connect(int descriptor, const sockaddr* address, socklen_t size,
                     const Limits& limits = {});

/// Receives as recv(2) does. MSG_DONTWAIT is obeyed; with MSG_OOB or MSG_ERRQUEUE it does not wait
/// either (EAGAIN), as in Linux; MSG_WAITALL is ignored; use read_exactly().
Result<std::size_t> recv(int descriptor, std::span<std::byte> into, int flags = 0,
                         const Limits& limits = {});
/// Sends as send(2) does, but without SIGPIPE. MSG_DONTWAIT is obeyed.
Result<std::size_t> send(int descriptor, std::span<const std::byte> from, int flags = 0,
                         const Limits& limits = {});
/// Receives as recvmsg(2) does, with flags as in recv().
Result<std::size_t> recvmsg(int descriptor, msghdr& message, int flags = 0,
                            const Limits& limits = {});
/// Sends as sendmsg(2) does, with flags as in send().
Result<std::size_t> sendmsg(int descriptor, const msghdr& message, int flags = 0,
                            const Limits& limits = {});

/// Waits until one of `events` (POLLIN, POLLOUT, POLLPRI, POLLRDHUP) or POLLHUP, POLLERR holds for
/// the descriptor, and returns those that do.
Result<short> poll(int descriptor, short events, const Limits& limits = {});

/// Sleeps until limits.deadline. Returns an error only if limits.stop was requested before.
Result<void> sleep(const Limits& limits);

/// Waits for a child process to end and returns its status, as waitpid(2) does. No other code may
/// wait for that child. \returns no_child_process if the caller has no child of that id.
Result<int> wait_for_process(pid_t child, const Limits& limits = {});

}  // namespace kumiko::runtime::io
