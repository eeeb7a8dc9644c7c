// Records what the workers of one Runtime do, between a start and a stop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "trace/trace.hpp"

namespace kumiko::runtime::detail {

class Scheduler;

/// The trace of one Runtime: a ring per worker, which observes it. Outlives the workers: in a child
/// process made by fork() it is left behind with them.
class Tracer {
 public:
  /// See Runtime::start_trace(). \throws std::bad_alloc; nothing changes then.
  void start(Scheduler& scheduler, std::size_t records);

  /// See Runtime::stop_trace().
  void stop(Scheduler& scheduler, std::ostream& out);

 private:
  std::vector<TraceRing> rings_;
  std::uint64_t ticks_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace kumiko::runtime::detail
