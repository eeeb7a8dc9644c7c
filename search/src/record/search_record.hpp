// Puts together what the processes of a search have told of themselves.
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

/// A process's log, and where that has come from. The clocks are those of the process, and of whom
/// it was told to.
struct ToldLog {
  Way at;  ///< a rank, or the way from who searches
  ProcessLog log;
  std::int64_t sent_at = 0;
  std::int64_t arrived = 0;
};

/// Keeps what processes tell of themselves, in bounded memory. For several threads at once.
class ToldLogs {
 public:
  /// \throws std::invalid_argument for a message that is not a whole ProcessLog
  void add(const Way& from, const ExchangeMessage& message);
  bool has(const Way& from) const;
  std::vector<ToldLog> all() const;

  /// Parts of all processes together; of those that come later only the sums are kept.
  static constexpr std::size_t kMostParts = 100'000;

 private:
  bool has_told(const Way& from) const;

  mutable std::mutex mutex_;
  std::vector<ToldLog> told_;  ///< guarded
  std::size_t parts_ = 0;      ///< guarded
};

/// The message by which a process tells its log.
ExchangeMessage message_of(ProcessLog log);

/// What the ways in logs are: ranks, or numbers of links, of which 0 leads to the parent.
enum class Ways { kRanks, kLinks };

/// The record as a JSON text: docs/reference/files.md. `told.front()` is who has searched: its
/// clock is the record's. A process that has told nothing, since it was lost, is known from what
/// others say of it.
///
/// *Clocks.* Each log says by how much the clocks of some others were ahead, each within half a
/// round trip. A process's difference to the first is the sum along the chain of such pairs whose
/// round trips are shortest together (Dijkstra's algorithm), and so is its uncertainty. A process
/// that no chain leads to is put in time by when its log came.
std::string record_of(std::string_view title, std::vector<ToldLog> told, Ways ways);

}  // namespace kumiko::search::detail
