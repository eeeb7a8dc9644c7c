#include <array>
#include <cerrno>

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <kumiko/runtime/io/operations.hpp>
#include <kumiko/runtime/io/socket.hpp>

namespace kumiko::runtime::io {

namespace {

/// The calling OS thread's errno. Not inlined: a compiler would keep the address of errno, and the
/// caller may be on another worker by now.
[[gnu::noinline]] std::error_code last_error() noexcept { return {errno, std::generic_category()}; }

/// Sets TCP_NODELAY, which has no effect on sockets other than TCP's.
void send_at_once(int descriptor) noexcept {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Result<FileDescriptor> make_socket(int family) {
  FileDescriptor descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!descriptor) return last_error();
  return descriptor;
}

template <class Function>
Result<Address> address_by(Function function, int descriptor) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (function(descriptor, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return last_error();
  return Address(reinterpret_cast<const sockaddr*>(&storage), size);
}

}  // namespace

Result<Socket> Socket::connect(const Address& address, const Limits& limits) {
  Result<FileDescriptor> descriptor = make_socket(address.family());
  if (!descriptor) return descriptor.error();
  const Result<void> connected =
      io::connect(descriptor->get(), address.get(), address.size(), limits);
  if (!connected) return connected.error();
  if (address.family() != AF_UNIX) send_at_once(descriptor->get());
  return Socket(*std::move(descriptor));
}

Result<Socket> Socket::connect(const std::string& host, const std::string& service,
                               const Limits& limits) {
  const Result<std::vector<Address>> addresses = resolve(host, service, limits);
  if (!addresses) return addresses.error();
  std::error_code error = std::make_error_code(std::errc::address_not_available);
  for (const Address& address : *addresses) {
    Result<Socket> socket = connect(address, limits);
    if (socket) return socket;
    error = socket.error();
  }
  return error;
}

Result<std::pair<Socket, Socket>> Socket::pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return last_error();
  return std::pair(Socket(FileDescriptor(ends[0])), Socket(FileDescriptor(ends[1])));
}

Result<std::size_t> Socket::read(std::span<std::byte> into, const Limits& limits) {
  return io::read(descriptor(), into, limits);
}

Transfer Socket::read_exactly(std::span<std::byte> into, const Limits& limits) {
  return io::read_exactly(descriptor(), into, limits);
}

Result<std::size_t> Socket::write(std::span<const std::byte> from, const Limits& limits) {
  return io::write(descriptor(), from, limits);
}

Transfer Socket::write_all(std::span<const std::byte> from, const Limits& limits) {
  return io::write_all(descriptor(), from, limits);
}

Result<void> Socket::finish_writing() {
  if (::shutdown(descriptor(), SHUT_WR) != 0) return last_error();
  return {};
}

Result<Address> Socket::local_address() const { return address_by(getsockname, descriptor()); }

Result<Address> Socket::peer_address() const { return address_by(getpeername, descriptor()); }

Result<Listener> Listener::listen(const Address& address, int backlog) {
  Result<FileDescriptor> descriptor = make_socket(address.family());
  if (!descriptor) return descriptor.error();
  const int on = 1;
  if (address.family() != AF_UNIX) {
    setsockopt(descriptor->get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  }
  if (::bind(descriptor->get(), address.get(), address.size()) != 0 ||
      ::listen(descriptor->get(), backlog) != 0) {
    return last_error();
  }
  Listener listener;
  listener.descriptor_ = *std::move(descriptor);
  return listener;
}

Result<Socket> Listener::accept(const Limits& limits) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  const Result<int> accepted =
      io::accept(descriptor(), reinterpret_cast<sockaddr*>(&peer), &size, limits);
  if (!accepted) return accepted.error();
  if (peer.ss_family != AF_UNIX) send_at_once(*accepted);
  return Socket(FileDescriptor(*accepted));
}

Result<Address> Listener::address() const { return address_by(getsockname, descriptor()); }

}  // namespace kumiko::runtime::io
