// Connections of a benchmark's client to a server on this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sys/epoll.h>

namespace kumiko::bench::io {

/// Connections to a server on this machine, each of which has been served once: it has its thread.
class Connections {
 public:
  /// \throws std::runtime_error if descriptors or ports do not suffice, or the server does not
  /// answer within seconds.
  Connections(std::uint16_t port, std::size_t count);
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  /// Closes them by a reset, so that no port has to wait before it is used again.
  ~Connections();

  std::size_t size() const noexcept { return descriptors_.size(); }

  /// Sends one byte.
  void send(std::size_t index);

  static constexpr std::size_t kMostBytes = 64;

  /// Takes what has come, up to kMostBytes. \returns how many bytes; 0 if there are none yet.
  std::size_t receive(std::size_t index);

  /// Waits until one has something to receive or the time is over. Reports each arrival once: all
  /// that there is must be taken. \returns the connections' indices, in data.u64.
  std::span<const epoll_event> wait(std::int64_t nanoseconds);

 private:
  void open(std::uint16_t port);
  void close() noexcept;
  void serve_once(std::size_t first, std::size_t last);

  std::vector<int> descriptors_;
  std::vector<epoll_event> events_;
  int epoll_ = -1;
};

}  // namespace kumiko::bench::io
