// Finds out that the threads of all ranks wait for each other.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kumiko::cluster::detail {

/// How many messages that may wake a thread a rank has sent and received.
struct MessageCounts {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

  friend bool operator==(const MessageCounts&, const MessageCounts&) = default;
};

/// One rank's part in the search for a deadlock of all ranks, which rank 0 leads. The poller's.
///
/// A rank is *passive* while it has threads, all of which wait, and nothing but a message can wake
/// any of them. When rank 0 has been passive for its patience it asks the others in two rounds, the
/// second of which begins after the first has ended. A rank answers once it is passive too, and has
/// been for its own patience, with its counts of messages; the counts of both rounds are summed up.
///
/// *If all four sums are equal, all ranks are passive for ever* (Mattern's four counters, 1987).
/// Let T be the moment at which the second round begins; each rank has answered the first round
/// before T and answers the second one after it. A rank's counts never fall, so that equal sums
/// mean that each rank has received as many messages at its second answer as at its first one. It
/// was passive at the first, and only a message ends that, so it has been passive all the time in
/// between, and has sent nothing. So at T all are passive; and as many messages had been received
/// as sent at T, so that none was under way. What could wake anybody does not exist then.
///
/// What the ranks say of this here does not count as messages: it wakes no thread. Frames that are
/// dropped, because a rank is lost, keep the sums apart: then nothing is reported. Nor is it where
/// one rank is in a time limit, computes, waits for I/O or leaves, for it is not passive.
class DeadlockWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// What is to be done after a look.
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

  /// The report could not be made, for something has moved: it is to be tried again.
  void put_off_report() noexcept { is_to_report_ = true; }

  // What other ranks say.

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
  std::uint64_t round_ = 0;  ///< its number, so that answers to older ones are known as such
  std::vector<std::optional<MessageCounts>> answers_;
  MessageCounts first_sum_{};
};

}  // namespace kumiko::cluster::detail
