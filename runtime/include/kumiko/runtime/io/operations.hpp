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
/// order of their arrival. Signals never show: EINTR is tried again.
///
/// Which descriptors: any that nobody else closes behind the runtime's back. Close what these
/// functions have used with io::close(), or by the types in file.hpp, socket.hpp and pipe.hpp. One
/// descriptor is used by the threads of one Runtime at a time.
///
/// All may suspend. Memory and paths that are passed must stay until the call returns. None throws
/// but std::bad_alloc.
namespace kumiko::runtime::io {

/// Reads up to into.size() bytes, at least one; 0 means the end of the input (or an empty span).
Result<std::size_t> read(int descriptor, std::span<std::byte> into, const Limits& limits = {});
/// Reads as read() does, into several spans that are filled one after the other.
Result<std::size_t> readv(int descriptor, std::span<const iovec> into, const Limits& limits = {});

/// Writes up to from.size() bytes, at least one unless `from` is empty. A peer that is gone is
/// std::errc::broken_pipe; no signal is raised.
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

/// Reads as read() does, at `offset` of a file, whose position does not move. A file operation that
/// the system has begun is finished before a limit counts.
Result<std::size_t> pread(int descriptor, std::span<std::byte> into, off_t offset,
                          const Limits& limits = {});
/// Writes as write() does, at `offset` of a file, whose position does not move.
Result<std::size_t> pwrite(int descriptor, std::span<const std::byte> from, off_t offset,
                           const Limits& limits = {});
/// Reads as read_exactly() does, at `offset` of a file.
Transfer pread_exactly(int descriptor, std::span<std::byte> into, off_t offset,
                       const Limits& limits = {});
/// Writes as write_all() does, at `offset` of a file.
Transfer pwrite_all(int descriptor, std::span<const std::byte> from, off_t offset,
                    const Limits& limits = {});

/// Waits until what was written to the file, and what the system notes of it, is on the device.
Result<void> fsync(int descriptor, const Limits& limits = {});
/// Waits as fsync() does, but not for what is not needed to read the file again, such as times.
Result<void> fdatasync(int descriptor, const Limits& limits = {});

/// Opens a file as open(2) does, with O_CLOEXEC. Returns the descriptor.
Result<int> open(const char* path, int flags, mode_t mode = 0666, const Limits& limits = {});

/// Renames a file as rename(2) does.
Result<void> rename(const char* from, const char* to, const Limits& limits = {});

/// Closes the descriptor. Threads that wait for it return with std::errc::bad_file_descriptor, and
/// no later use of the same number is confused with this one. The descriptor is gone also where an
/// error is returned, as close(2) says.
Result<void> close(int descriptor);

/// Takes a connection from a listening socket, with O_CLOEXEC. `address` and `size` as accept(2).
/// A listening socket is made non-blocking. Errors of the connection itself (ECONNABORTED) are
/// returned; where the descriptors are exhausted (too_many_files_open) the connection stays queued.
Result<int> accept(int descriptor, sockaddr* address = nullptr, socklen_t* size = nullptr,
                   const Limits& limits = {});

/// Connects a socket. After a limit the socket is of no use but to be closed.
Result<void> connect(int descriptor, const sockaddr* address, socklen_t size,
                     const Limits& limits = {});

/// Receives as recv(2) does. MSG_DONTWAIT is obeyed; with MSG_OOB or MSG_ERRQUEUE it does not wait
/// either (EAGAIN), as in Linux; MSG_WAITALL is not waited for, see read_exactly().
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

/// Waits for a child process to end and takes its status, as waitpid(2) does. Nobody else may wait
/// for that child. \returns no_child_process if the caller has no child of that id.
Result<int> wait_for_process(pid_t child, const Limits& limits = {});

}  // namespace kumiko::runtime::io
