#include "watch/deadlock.hpp"

#include <algorithm>
#include <utility>

namespace kumiko::cluster::detail {

namespace {

/// The number of times that a rank checks whether it is passive while its patience passes.
constexpr int kLooksPerPatience = 4;

/// Short enough for sums of times.
constexpr std::chrono::hours kLongestPatience{24 * 365};

}  // namespace

DeadlockWatch::DeadlockWatch(int rank, int ranks, std::chrono::milliseconds patience) noexcept
    : rank_(rank),
      patience_(std::min<std::chrono::milliseconds>(patience, kLongestPatience)),
      next_look_(patience.count() > 0 ? Clock::time_point::min() : Clock::time_point::max()),
      answers_(static_cast<std::size_t>(ranks)) {}

DeadlockWatch::Step DeadlockWatch::look(Clock::time_point now,
                                        const std::optional<MessageCounts>& passive) {
  next_look_ = now + patience_ / kLooksPerPatience;
  if (!passive || passive != passive_) {
    // A thread has run since the request for a report.
    if (passive && passive_) is_to_report_ = false;
    passive_ = passive;
    passive_since_ = now;
    which_round_ = 0;
    return {};
  }
  if (is_to_report_) {
    is_to_report_ = false;
    has_reported_ = true;
    return {.reports = true};
  }
  if (has_reported_ || now < passive_since_ + patience_) return {};
  if (rank_ == 0) return lead();
  if (!std::exchange(is_to_answer_, false)) return {};
  return {.answers = true, .round = asked_, .counts = *passive_};
}

/// Rank 0 leads the rounds. It is passive and has had the same counts since before them.
DeadlockWatch::Step DeadlockWatch::lead() {
  if (which_round_ == 0) return begin_round(1);
  if (!have_all_answered()) return {};
  MessageCounts sum;
  for (const std::optional<MessageCounts>& answer : answers_) {
    sum.sent += answer->sent;
    sum.received += answer->received;
  }
  const bool is_even = sum.sent == sum.received;
  if (which_round_ == 1 && is_even) {
    first_sum_ = sum;
    return begin_round(2);
  }
  if (which_round_ == 2 && is_even && sum == first_sum_) {
    has_reported_ = true;
    return {.reports = true};
  }
  // Something has moved: another time.
  which_round_ = 0;
  passive_since_ = next_look_;
  return {};
}

DeadlockWatch::Step DeadlockWatch::begin_round(int which) {
  which_round_ = which;
  ++round_;
  std::fill(answers_.begin(), answers_.end(), std::nullopt);
  answers_[0] = passive_;
  return {.asks = true, .round = round_};
}

bool DeadlockWatch::have_all_answered() const noexcept {
  return std::all_of(answers_.begin(), answers_.end(),
                     [](const auto& answer) { return answer.has_value(); });
}

void DeadlockWatch::ask(std::uint64_t round) noexcept {
  if (round <= asked_) return;  // an older question, which was overtaken
  asked_ = round;
  is_to_answer_ = true;
  if (patience_.count() > 0) next_look_ = Clock::time_point::min();
}

void DeadlockWatch::take_answer(int rank, std::uint64_t round,
                                const MessageCounts& counts) noexcept {
  if (which_round_ == 0 || round != round_) return;
  answers_[static_cast<std::size_t>(rank)] = counts;
  if (have_all_answered()) next_look_ = Clock::time_point::min();
}

void DeadlockWatch::have_report() noexcept {
  is_to_report_ = true;
  if (patience_.count() > 0) next_look_ = Clock::time_point::min();
}

}  // namespace kumiko::cluster::detail
