#include "loops.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace kumiko::bench::io {

namespace {

using std::int64_t;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kPatience = 10 * kSecond;

int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

[[noreturn]] void fail_missing(std::size_t count) {
  throw std::runtime_error(std::to_string(count) + " answers have not come within 10 s");
}

}  // namespace

// Per message: recv, send, a share of epoll_wait, and one look at the clock.
void closed_loop(Connections& connections, std::size_t active, double seconds, Traffic& traffic) {
  std::vector<int64_t> sent(connections.size());
  const int64_t begin = now_ns();
  const int64_t end = begin + static_cast<int64_t>(seconds * 1e9);
  for (std::size_t i = 0; i < active; ++i) {
    const std::size_t index = i * connections.size() / active;
    sent[index] = now_ns();
    connections.send(index);
  }
  std::size_t under_way = active;
  int64_t now = begin;
  while (under_way > 0) {
    const auto events = connections.wait(kPatience);
    if (events.empty() && now_ns() > now + kPatience) fail_missing(under_way);
    for (const epoll_event& event : events) {
      const std::size_t index = event.data.u64;
      if (connections.receive(index) == 0) continue;
      now = now_ns();
      traffic.latencies.record(static_cast<std::uint64_t>(now - sent[index]));
      if (now >= end) {
        --under_way;
        continue;
      }
      sent[index] = now;
      connections.send(index);
    }
  }
  traffic.seconds += static_cast<double>(now - begin) * 1e-9;
}

void open_loop(Connections& connections, double rate, double seconds, Traffic& traffic) {
  const auto total = static_cast<std::size_t>(rate * seconds);
  const int64_t begin = now_ns() + kSecond / 1000;
  const auto due = [&](std::size_t message) {
    return begin + static_cast<int64_t>(static_cast<double>(message) / rate * 1e9);
  };
  std::vector<std::size_t> received(connections.size());  // by each connection
  std::size_t sent = 0;
  std::size_t missing = total;
  int64_t now = now_ns();
  while (missing > 0) {
    for (; sent < total && due(sent) <= now; ++sent) {
      connections.send(sent % connections.size());
      traffic.lateness.record(static_cast<std::uint64_t>(now_ns() - due(sent)));
    }
    const int64_t last_answer = due(total) + kPatience;
    const auto events = connections.wait((sent < total ? due(sent) : last_answer) - now_ns());
    now = now_ns();
    if (now > last_answer) fail_missing(missing);
    for (const epoll_event& event : events) {
      const std::size_t index = event.data.u64;
      std::size_t bytes = 0;
      do {
        bytes = connections.receive(index);
        for (std::size_t i = 0; i < bytes; ++i) {
          // A connection answers in order: its message j is number index + j * size of all.
          const std::size_t message = index + received[index]++ * connections.size();
          traffic.latencies.record(static_cast<std::uint64_t>(now_ns() - due(message)));
        }
        missing -= bytes;
      } while (bytes == Connections::kMostBytes);
    }
    now = now_ns();
  }
  traffic.seconds += static_cast<double>(now - begin) * 1e-9;
}

}  // namespace kumiko::bench::io
