// The record of a search, made from the logs of its processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange_message.hpp"
#include "record/exchange_log.hpp"

namespace kumiko::search::detail {

/// The log of a process, as this process has received it.
struct ReceivedLog {
  Way at;  ///< a rank, or the way from the process that searches
  ProcessLog log;
  std::int64_t sent_at = 0;  ///< by the clock of the sender
  std::int64_t arrived = 0;  ///< by the clock of this process
};

/// Keeps the logs of other processes in bounded memory. Several threads may use it at once.
class ReceivedLogs {
 public:
  /// \throws std::invalid_argument for a message that is not a whole ProcessLog
  void add(const Way& from, const ExchangeMessage& message);
  bool has(const Way& from) const;
  std::vector<ReceivedLog> all() const;

  /// The largest number of parts of all processes together. Later parts are only in the sums.
  static constexpr std::size_t kMostParts = 100'000;

 private:
  bool has_log_of(const Way& from) const;

  mutable std::mutex mutex_;
  std::vector<ReceivedLog> logs_;  ///< guarded
  std::size_t parts_ = 0;          ///< guarded
};

/// The message with a log.
ExchangeMessage message_of(ProcessLog log);

/// The meaning of ways in logs: ranks, or numbers of links, of which 0 leads to the parent.
enum class Ways { kRanks, kLinks };

/// Returns the record as a JSON text (docs/reference/files.md). `logs.front()` is that of the
/// process that has searched, whose clock the record uses. A process without a log, since it was
/// lost, is known from the logs of others.
///
/// *Clocks.* Each log has the clock differences to some other processes, each known to within half
/// a round trip. The difference between a process and the first one is the sum along the chain of
/// such pairs with the shortest round trips together (Dijkstra's algorithm), and so is its
/// uncertainty. A process without such a chain gets the time at which its log arrived.
std::string record_of(std::string_view title, std::vector<ReceivedLog> logs, Ways ways);

}  // namespace kumiko::search::detail
