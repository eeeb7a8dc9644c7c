// Loads a server in a closed or an open loop, and measures latencies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "connections.hpp"
#include "histogram.hpp"

namespace kumiko::bench::io {

/// What a client has seen.
struct Traffic {
  double seconds = 0;   ///< from the first message to the last answer, of all rounds
  Histogram latencies;  ///< in ns
  Histogram lateness;   ///< in ns: how late the client itself sent its messages
};

/// Each of `active` connections, evenly chosen, always has one message under way: the next is sent
/// when the answer has come, until `seconds` have passed. The server sets the pace. Adds to
/// `traffic`.
/// \throws std::runtime_error if a connection is lost or answers stay out.
void closed_loop(Connections& connections, std::size_t active, double seconds, Traffic& traffic);

/// `rate` messages per second in all, round the connections, each sent at its time whatever has
/// become of those before. A latency runs from the time at which the message was due.
/// \throws as above.
void open_loop(Connections& connections, double rate, double seconds, Traffic& traffic);

}  // namespace kumiko::bench::io
