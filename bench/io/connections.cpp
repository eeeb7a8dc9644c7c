#include "connections.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <stdexcept>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process.hpp"

namespace kumiko::bench::io {

namespace {

constexpr std::size_t kBatch = 256;  // far less than the queue of a listening socket
constexpr std::size_t kEvents = 512;
constexpr std::size_t kOtherDescriptors = 16;
constexpr timeval kPatience{.tv_sec = 10, .tv_usec = 0};

template <class Value>
void set_option(int descriptor, int level, int name, const Value& value) {
  if (setsockopt(descriptor, level, name, &value, sizeof(value)) != 0) throw_errno("setsockopt");
}

void require_descriptors(std::size_t connections) {
  const std::size_t needed = connections + kOtherDescriptors;
  const std::size_t available = raise_descriptor_limit(needed);
  if (available >= needed) return;
  throw std::runtime_error(std::to_string(connections) + " connections need " +
                           std::to_string(needed) + " descriptors, but only " +
                           std::to_string(available) + " are allowed; raise 'ulimit -n'");
}

}  // namespace

Connections::Connections(std::uint16_t port, std::size_t count) : events_(kEvents) {
  require_descriptors(count);
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_ < 0) throw_errno("epoll_create1");
  try {
    descriptors_.reserve(count);
    while (size() < count) {
      const std::size_t first = size();
      while (size() < std::min(count, first + kBatch)) open(port);
      serve_once(first, size());
    }
  } catch (...) {
    close();
    throw;
  }
}

Connections::~Connections() { close(); }

void Connections::close() noexcept {
  for (const int descriptor : descriptors_) ::close(descriptor);
  ::close(epoll_);
}

void Connections::open(std::uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw_errno("socket");
  descriptors_.push_back(descriptor);
  set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(descriptor, SOL_SOCKET, SO_LINGER, linger{.l_onoff = 1, .l_linger = 0});
  set_option(descriptor, SOL_SOCKET, SO_SNDTIMEO, kPatience);
  set_option(descriptor, SOL_SOCKET, SO_RCVTIMEO, kPatience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return;
  }
  const std::string which = "connection " + std::to_string(size());
  if (errno == EADDRNOTAVAIL) {
    throw std::runtime_error(which +
                             " finds no free port; widen net.ipv4.ip_local_port_range, or wait for"
                             " others to be freed");
  }
  throw_errno(which);
}

/// Blocks, up to kPatience each.
void Connections::serve_once(std::size_t first, std::size_t last) {
  char byte = 'k';
  for (std::size_t i = first; i < last; ++i) {
    if (::send(descriptors_[i], &byte, 1, MSG_NOSIGNAL) != 1) throw_errno("first byte sent");
  }
  for (std::size_t i = first; i < last; ++i) {
    const ssize_t bytes = ::recv(descriptors_[i], &byte, 1, 0);
    if (bytes < 0) throw_errno("first byte of connection " + std::to_string(i + 1));
    if (bytes == 0) throw std::runtime_error("the server has closed a connection");
    epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.u64 = i}};
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptors_[i], &event) != 0) throw_errno("epoll_ctl");
  }
}

void Connections::send(std::size_t index) {
  const char byte = 'k';
  if (::send(descriptors_[index], &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1) throw_errno("send");
}

std::size_t Connections::receive(std::size_t index) {
  char bytes[kMostBytes];
  const ssize_t count = ::recv(descriptors_[index], bytes, sizeof(bytes), MSG_DONTWAIT);
  if (count > 0) return static_cast<std::size_t>(count);
  if (count == 0) throw std::runtime_error("the server has closed a connection");
  if (errno != EAGAIN) throw_errno("recv");
  return 0;
}

std::span<const epoll_event> Connections::wait(std::int64_t nanoseconds) {
  const std::int64_t positive = std::max<std::int64_t>(nanoseconds, 0);
  const timespec time{.tv_sec = positive / 1'000'000'000, .tv_nsec = positive % 1'000'000'000};
  const int count = epoll_pwait2(epoll_, events_.data(), kEvents, &time, nullptr);
  if (count < 0 && errno != EINTR) throw_errno("epoll_pwait2");
  return {events_.data(), static_cast<std::size_t>(std::max(count, 0))};
}

}  // namespace kumiko::bench::io
