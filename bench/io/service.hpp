// The protocol between the driver and a server that it measures.
#pragma once

#include <cstdint>
#include <functional>

#include "support/json_line.hpp"

namespace kumiko::bench::io {

/// How a server is run by the driver: it says "PORT n" when it listens, answers every line on stdin
/// with a report, and ends with another one when stdin is closed or SIGTERM or SIGINT comes.
class Service {
 public:
  /// Allows as many descriptors as may be had, and keeps the signals from all threads that are
  /// started later: make it first.
  Service();

  /// Does all that, and ends the process without unwinding: connections may still be open.
  /// `details` adds to the wall and processor time of a report.
  [[noreturn]] void run(
      std::uint16_t port, const std::function<void(JsonLine&)>& details = [](JsonLine&) {});

 private:
  bool wait_for_line() const;

  int signals_;
};

/// Says what went wrong in a thread of a server, and ends the process.
[[noreturn]] void die(const char* what) noexcept;

/// main() of a server: what it throws becomes an error message and exit status 1.
int service_main(int argc, char** argv, void (*serve)(int argc, char** argv));

}  // namespace kumiko::bench::io
