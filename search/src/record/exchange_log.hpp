// The log of a process: the parts that it has done for others, and those that others have done for
// it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kumiko/search/search.hpp>

#include "core/exchange_effects.hpp"
#include "core/round_trips.hpp"

namespace kumiko::search::detail {

/// A part, or a search of the process itself, as the process has seen it. Sent as its bytes.
struct LoggedPart {
  enum Kind : std::uint8_t { kGiven, kTaken, kSearch };
  enum End : std::uint8_t {
    kOpen,       ///< it had not ended at the end of the log
    kUsed,       ///< given: its result counts
    kAgain,      ///< given: another process has done it
    kWithdrawn,  ///< given: nobody wanted the result
    kTold,       ///< taken: its giver got the result
    kDropped,    ///< taken: nobody wanted the result
  };

  std::int64_t begin = 0;  ///< nanoseconds of the process's clock, like all times in a log
  std::int64_t end = 0;
  std::uint64_t bytes = 0;
  std::uint64_t result_bytes = 0;
  std::uint32_t other = 0;  ///< the other process, an index of ProcessLog::others
  std::uint32_t slot = 0;   ///< with the generation, the giver's name for the part
  std::uint32_t generation = 0;
  std::uint32_t divisions = 0;
  Kind kind{};
  End how{};
  std::uint16_t unused = 0;
  std::uint32_t unused_too = 0;
};
static_assert(sizeof(LoggedPart) == 56);

/// Sums over all parts given to another process and taken from it, also those that were left out.
struct LoggedSum {
  std::uint64_t given = 0;
  std::uint64_t used = 0;   ///< of these
  std::uint64_t again = 0;  ///< of these
  std::uint64_t given_bytes = 0;
  std::uint64_t result_bytes = 0;  ///< of those
  std::uint64_t taken = 0;
  std::uint64_t told = 0;  ///< of these
  std::uint64_t taken_bytes = 0;
  std::uint64_t told_bytes = 0;
  std::int64_t taken_time = 0;
};

/// A comparison with the clock of another process.
struct LoggedClock {
  std::uint32_t other = 0;  ///< an index of ProcessLog::others
  std::uint32_t unused = 0;
  std::int64_t round_trip = 0;
  std::int64_t ahead = 0;
};

/// The log of one process, from which the record of the search is made.
struct ProcessLog {
  std::string host;
  std::int32_t id = 0;
  std::int32_t workers = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t active = 0;     ///< the time for which it had a part or a search
  std::int64_t worked = 0;     ///< the sum of the times for which its workers had work
  std::uint64_t left_out = 0;  ///< parts that are only in the sums
  ExchangeStatistics counts;
  std::vector<Way> others;      ///< the ways from here; the first is this process
  std::vector<LoggedSum> sums;  ///< by index of others
  std::vector<LoggedPart> parts;
  std::vector<LoggedClock> clocks;
};
constexpr auto described(std::type_identity<ProcessLog>) {
  using L = ProcessLog;
  return std::tuple(Item<&L::host>{}, Item<&L::id>{}, Item<&L::workers>{}, Item<&L::begin>{},
                    Item<&L::end>{}, Item<&L::active>{}, Item<&L::worked>{}, Item<&L::left_out>{},
                    Item<&L::counts>{}, Item<&L::others>{}, Item<&L::sums>{}, Item<&L::parts>{},
                    Item<&L::clocks>{});
}

/// \throws std::invalid_argument if these bytes are not a log
ProcessLog decode_log(std::span<const std::byte> bytes);

/// Writes the log of a process, in bounded memory. Not for several threads at once.
class ExchangeLog {
 public:
  using Moment = std::chrono::nanoseconds;

  explicit ExchangeLog(Moment begin) : begin_(begin) { index_of({}); }

  void note(const ExchangeEffects::Note& note, Moment now);
  void search_began(Moment now);
  void search_ended(Moment now);

  /// Returns the log so far, in which all that has not ended ends now. The caller sets the members
  /// that only it knows.
  ProcessLog log(Moment now, const RoundTrips& round_trips) const;

  static constexpr std::size_t kMostParts = 8192;
  static constexpr std::size_t kMostOthers = 4096;

 private:
  /// The index of this process among the others; nullopt if there are too many.
  std::optional<std::uint32_t> index_of(const Way& other);
  void given(const ExchangeEffects::Note& note, Moment now);
  void come_back(const ExchangeEffects::Note& note, Moment now);
  void taken(const ExchangeEffects::Note& note, Moment now);
  void ended(const ExchangeEffects::Note& note, Moment now);
  void keep(const LoggedPart& part);
  /// The time for which there was a part or a search here.
  Moment active(Moment now) const noexcept;
  void begin_activity(Moment now) noexcept;
  void end_activity(Moment now) noexcept;

  const Moment begin_;
  std::map<Way, std::uint32_t> numbers_;
  ProcessLog done_;
  std::map<std::uint32_t, LoggedPart> away_;  ///< by slot
  std::map<std::uint64_t, LoggedPart> here_;  ///< by run
  LoggedPart search_{.kind = LoggedPart::kSearch};
  int searches_ = 0;
  int activities_ = 0;
  Moment active_since_{};
  Moment active_{};
};

}  // namespace kumiko::search::detail
