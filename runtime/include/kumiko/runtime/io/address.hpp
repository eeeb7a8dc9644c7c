// Addresses of sockets, names of hosts, and the lookup of a host's addresses by its name.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include <sys/socket.h>

#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/io/result.hpp>

namespace kumiko::runtime::io {

/// The address of one end of a socket: IPv4 or IPv6 with a port, or a path (AF_UNIX).
class Address {
 public:
  /// An empty address.
  Address() = default;
  /// A copy of an address from the system.
  Address(const sockaddr* address, socklen_t size) noexcept;

  /// The address that a numeric text such as "127.0.0.1" or "::1" names. \returns invalid_argument
  /// for any other text.
  static Result<Address> parse(const std::string& numeric, std::uint16_t port);
  /// The IPv4 loopback address, which only this machine can reach.
  static Address loopback(std::uint16_t port = 0) noexcept;
  /// The address of a socket in the file system. The file remains when its listener is closed;
  /// remove it before another listener uses the path. \returns filename_too_long above 107 bytes,
  /// invalid_argument for an empty path.
  static Result<Address> path(const std::string& path);

  /// The address in the form for system calls.
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
  /// The number of bytes that get() points to.
  socklen_t size() const noexcept { return size_; }
  /// The address family: AF_INET, AF_INET6 or AF_UNIX.
  int family() const noexcept { return storage_.ss_family; }
  /// The port; 0 for a family without ports.
  std::uint16_t port() const noexcept;

  /// The address as a text: "127.0.0.1:80", "[::1]:80", or the path.
  std::string to_string() const;

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

/// The addresses of a host, by getaddrinfo(3): stream sockets, in the system's order of preference.
/// Blocks only the calling thread. A limit ends the wait immediately, while the system's lookup
/// continues in the background. Errors are of resolve_category().
Result<std::vector<Address>> resolve(const std::string& host, const std::string& service,
                                     const Limits& limits = {});

/// The name of this host, by gethostname(2); empty if the system has none.
std::string host_name();

/// The category of getaddrinfo's own errors (EAI_NONAME, ...).
const std::error_category& resolve_category() noexcept;

}  // namespace kumiko::runtime::io
