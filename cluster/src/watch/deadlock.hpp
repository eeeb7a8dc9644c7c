// Detects that the threads of all ranks wait for each other.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace kumiko::cluster::detail {

/// The numbers of messages that a rank has sent and received and that may wake a thread.
struct MessageCounts {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

  friend bool operator==(const MessageCounts&, const MessageCounts&) = default;
};

/// One rank's part in the search for a deadlock of all ranks, which rank 0 leads.
///
/// A rank is *passive* while it has threads, all of them wait, and only a message can wake any of
/// them. When rank 0 has been passive for its patience, it asks the others in two rounds; the
/// second one begins after the first has ended. A rank answers with its counts of messages once it
/// has been passive for its own patience. Rank 0 sums the counts of each round.
///
/// *If all four sums are equal, all ranks are passive for ever* (Mattern's four counters, 1987).
/// Let T be the moment at which the second round begins; each rank has answered the first round
/// before T and answers the second one after it. A rank's counts never fall, so that equal sums
/// mean that each rank has received as many messages at its second answer as at its first one. It
/// was passive at the first, and only a message ends that, so it has been passive all the time in
/// between, and has sent nothing. So all ranks are passive at T, and as many messages had been
/// received as sent, so none was in transit. Nothing is left that could wake a thread.
///
/// The questions and answers of this search are not counted, because they wake no thread. Frames to
/// a lost rank are dropped, so the sums differ and nothing is reported. Nothing is reported either
/// while a rank waits for a time or for I/O, computes or leaves, because it is not passive.
///
/// *Invariant.* Only the poller uses the object, so it has no lock.
class DeadlockWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// The actions after a look.
  struct Step {
    bool asks = false;     ///< rank 0: all others for an answer of this round
    bool answers = false;  ///< rank 0's question of this round, with these counts
    bool reports = false;  ///< what the own threads wait for, and has the next rank do so
    std::uint64_t round = 0;
    MessageCounts counts{};
  };

  /// \param patience  0 for no search
  DeadlockWatch(int rank, int ranks, std::chrono::milliseconds patience) noexcept;

  bool is_due(Clock::time_point now) const noexcept { return now >= next_look_; }
  Clock::time_point next_look() const noexcept { return next_look_; }

  /// \param passive  the rank's counts if it is passive
  Step look(Clock::time_point now, const std::optional<MessageCounts>& passive);

  /// The report could not be made because a thread has run; the next look tries again.
  void put_off_report() noexcept { is_to_report_ = true; }

  // Messages of other ranks.

  void ask(std::uint64_t round) noexcept;
  void take_answer(int rank, std::uint64_t round, const MessageCounts& counts) noexcept;
  void have_report() noexcept;

 private:
  Step lead();
  Step begin_round(int which);
  bool have_all_answered() const noexcept;

  const int rank_;
  const std::chrono::nanoseconds patience_;
  Clock::time_point next_look_;
  Clock::time_point passive_since_;
  std::optional<MessageCounts> passive_;  ///< at the latest look
  std::uint64_t asked_ = 0;               ///< the round of the latest question
  bool is_to_answer_ = false;
  bool is_to_report_ = false;
  bool has_reported_ = false;

  // Rank 0's.
  int which_round_ = 0;      ///< 1, 2, or 0 for none
  std::uint64_t round_ = 0;  ///< its number, by which answers to older rounds are ignored
  std::vector<std::optional<MessageCounts>> answers_;
  MessageCounts first_sum_{};
};

}  // namespace kumiko::cluster::detail
