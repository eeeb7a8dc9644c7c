// Stream sockets that connect, listen, read and write by calls that block only the calling thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/io/file_descriptor.hpp>
#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/io/result.hpp>

namespace kumiko::runtime::io {

/// A connected stream socket. One thread may read while another writes.
class Socket {
 public:
  /// An object without a connection.
  Socket() = default;
  /// Takes ownership of a connected socket.
  explicit Socket(FileDescriptor descriptor) noexcept : descriptor_(std::move(descriptor)) {}

  /// Connects to `address`. TCP sockets send small messages immediately (TCP_NODELAY).
  static Result<Socket> connect(const Address& address, const Limits& limits = {});
  /// Looks up the host and connects to the first of its addresses that accepts.
  static Result<Socket> connect(const std::string& host, const std::string& service,
                                const Limits& limits = {});
  /// Makes two sockets that are connected with each other (AF_UNIX).
  static Result<std::pair<Socket, Socket>> pair();

  /// See io::read().
  Result<std::size_t> read(std::span<std::byte> into, const Limits& limits = {});
  /// See io::read_exactly().
  Transfer read_exactly(std::span<std::byte> into, const Limits& limits = {});
  /// See io::write().
  Result<std::size_t> write(std::span<const std::byte> from, const Limits& limits = {});
  /// See io::write_all().
  Transfer write_all(std::span<const std::byte> from, const Limits& limits = {});

  /// Ends the stream to the peer, whose reads then return 0.
  Result<void> finish_writing();

  /// The address of this end.
  Result<Address> local_address() const;
  /// The address of the other end.
  Result<Address> peer_address() const;

  /// See FileDescriptor::close().
  Result<void> close() { return descriptor_.close(); }

  /// The descriptor's number; -1 without a socket.
  int descriptor() const noexcept { return descriptor_.get(); }
  /// Whether there is a connection.
  explicit operator bool() const noexcept { return static_cast<bool>(descriptor_); }

 private:
  FileDescriptor descriptor_;
};

/// A socket on which connections arrive.
class Listener {
 public:
  /// An object that does not listen.
  Listener() = default;

  /// Listens at `address`; with port 0, at any free port. A TCP socket gets SO_REUSEADDR.
  static Result<Listener> listen(const Address& address, int backlog = 4096);

  /// Waits for a connection. Any number of threads may wait; they are served in order. See
  /// io::accept() for temporary errors. TCP connections have TCP_NODELAY.
  Result<Socket> accept(const Limits& limits = {});

  /// The address at which it listens, with the actual port.
  Result<Address> address() const;

  /// Stops listening. Threads in accept() return with bad_file_descriptor.
  Result<void> close() { return descriptor_.close(); }

  /// The listening descriptor's number; -1 without a socket.
  int descriptor() const noexcept { return descriptor_.get(); }

 private:
  FileDescriptor descriptor_;
};

}  // namespace kumiko::runtime::io
