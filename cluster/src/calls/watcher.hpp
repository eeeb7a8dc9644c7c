// Watches for ranks that are silent, and for a deadlock of all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calls/call_server.hpp"
#include "calls/collections.hpp"
#include "calls/endpoint.hpp"
#include "calls/incoming_writes.hpp"
#include "calls/membership.hpp"
#include "calls/message.hpp"
#include "calls/pending_calls.hpp"
#include "calls/poll_time.hpp"
#include "calls/sender.hpp"
#include "watch/deadlock.hpp"
#include "watch/silence.hpp"

namespace kumiko::cluster::detail {

/// Watches the other ranks: collects what Silence and DeadlockWatch need to know about this rank,
/// and does what they decide: asks ranks, warns, treats ranks as lost, and reports a deadlock.
///
/// *Invariant.* Only the poller uses the object, so its members have no lock; the Runtime lets one
/// OS thread poll at a time. All else that it reads is atomic or has a lock.
class Watcher {
 public:
  using Clock = PollTime::Clock;

  Watcher(Endpoint& endpoint, Sender& sender, PendingCalls& pending, Collections& collections,
          Membership& membership, IncomingWrites& writes, CallServer& server);

  /// A frame has come from this rank.
  void heard(int rank) noexcept { silence_.heard(rank); }

  /// Looks for silent ranks if it is time to. Reads the clock once in many polls only, because most
  /// polls find nothing.
  void look_at_times(PollTime& now);

  /// A worker is about to sleep. Looks for a deadlock if it is time to. Returns true if
  /// look_at_times() would look for silent ranks in the next poll.
  bool look_before_sleep(Clock::time_point now);

  /// Makes a sleeping worker poll when the next looks are due.
  /// \{
  void ring_at_look();
  void ring_at_silence_look() {
    if (silence_.wants_look(activity())) endpoint_.bell.ring_at(silence_.next_look());
  }
  /// \}

  // Messages, by their kind.

  void take_present(const IncomingMessage& message);
  void take_passive(const IncomingMessage& message);
  void take_report() noexcept { deadlock_.have_report(); }

 private:
  std::uint64_t activity();
  std::vector<bool> awaited_ranks();
  void look_for_silence(Clock::time_point now);
  void give_up(int rank, const std::string& reason, bool has_ended);
  std::optional<MessageCounts> counts_if_passive() const;
  void look_for_deadlock(Clock::time_point now);
  void report_deadlock();
  std::string what_is_awaited();

  Endpoint& endpoint_;
  Sender& sender_;
  PendingCalls& pending_;
  Collections& collections_;
  Membership& membership_;
  IncomingWrites& writes_;
  CallServer& server_;
  Silence silence_;
  DeadlockWatch deadlock_;
  int polls_since_look_ = 0;  ///< for silent ranks
};

}  // namespace kumiko::cluster::detail
