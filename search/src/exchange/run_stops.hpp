// The stop sources of the parts that a process does for others.
#pragma once

#include <cstdint>
#include <mutex>
#include <stop_token>
#include <unordered_map>

namespace kumiko::search::detail {

/// A table of stop sources by run. Any thread may call its functions. Stop callbacks run without
/// its lock, since they change the exchange.
class RunStops {
 public:
  void add(std::uint64_t run);
  void remove(std::uint64_t run);
  std::stop_token token_of(std::uint64_t run) const;

  /// Stops a run, unless it has been removed.
  void stop(std::uint64_t run);
  void stop_all();

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::stop_source> sources_;  ///< guarded
};

}  // namespace kumiko::search::detail
