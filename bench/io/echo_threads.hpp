// The echo server that has an OS thread for each connection, for comparison.
#pragma once

#include <cstdint>

namespace kumiko::bench::io {

/// Starts to serve connections from this machine: an OS thread for each, which sends back what it
/// reads, until the process ends. \returns the port.
std::uint16_t echo_with_os_threads();

}  // namespace kumiko::bench::io
