#include "watch/silence.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace kumiko::cluster::detail {

namespace {

/// A rank that is silent for this time is asked; sooner if the limits are short.
constexpr std::chrono::milliseconds kAskAfter{1000};
constexpr int kAsksBeforeLimit = 4;
constexpr int kLooksPerAsk = 2;
/// A look at the ranks, and at the processes of silent ones, is never later than this. When a rank
/// is killed, Open MPI kills the others a second later, and until then one must report the loss.
constexpr std::chrono::milliseconds kLongestPeriod{100};

/// Longer than any run, but short enough for arithmetic.
constexpr std::chrono::hours kYear{24 * 365};
constexpr std::chrono::milliseconds kLongest = kYear;

Silence::Limits checked(const Silence::Limits& limits) {
  const auto refuse = [](const std::string& why) {
    throw std::invalid_argument("Cluster: " + why);
  };
  if (limits.warn_after.count() <= 0) refuse("warn_after is not positive; give a time");
  if (limits.lost_after < limits.warn_after) {
    refuse("lost_after is shorter than warn_after; give a longer time, or both shorter ones");
  }
  return {std::min(limits.warn_after, kLongest), std::min(limits.lost_after, kLongest)};
}

}  // namespace

Silence::Silence(int ranks, const Limits& limits, Probe probe)
    : limits_(checked(limits)),
      probe_(std::move(probe)),
      ask_after_(
          std::chrono::nanoseconds(std::min(kAsksBeforeLimit * kAskAfter, limits_.warn_after)) /
          kAsksBeforeLimit),
      period_(std::clamp<std::chrono::nanoseconds>(ask_after_ / kLooksPerAsk,
                                                   std::chrono::milliseconds(1), kLongestPeriod)),
      others_(static_cast<std::size_t>(ranks)) {}

std::vector<Silence::Step> Silence::look(Clock::time_point now, const std::vector<bool>& awaited) {
  const auto passed = std::min<std::chrono::nanoseconds>(now - latest_look_, ask_after_);
  latest_look_ = now;
  next_look_ = now + period_;
  was_awaiting_ = false;
  std::vector<Step> steps;
  for (std::size_t rank = 0; rank < others_.size(); ++rank) {
    Other& other = others_[rank];
    const bool was_awaited = std::exchange(other.was_awaited, awaited[rank]);
    const bool is_heard = std::exchange(other.is_heard, false);
    was_awaiting_ = was_awaiting_ || awaited[rank];
    if (is_heard || !awaited[rank] || !was_awaited) {
      other.forget();
      continue;
    }
    other.silent += passed;
    judge(static_cast<int>(rank), other, steps);
  }
  return steps;
}

void Silence::judge(int rank, Other& other, std::vector<Step>& steps) {
  if (other.silent < period_) return;
  const ProcessState state = probe_(other.process);
  if (state == ProcessState::kZombie || state == ProcessState::kGone) {
    steps.push_back({rank, Step::Kind::kEnded,
                     "its process has ended (" + describe(other.process, state) + ")"});
    return;
  }
  // Debugging takes time.
  if (other.silent >= limits_.lost_after && state != ProcessState::kTraced) {
    steps.push_back(
        {rank, Step::Kind::kLost,
         "nothing has come from it for " + silence_of(other, state) + ", though it was asked"});
    return;
  }
  if (other.silent >= limits_.warn_after && !std::exchange(other.is_warned_of, true)) {
    steps.push_back({rank, Step::Kind::kWarn, silence_of(other, state)});
  }
  if (state == ProcessState::kTraced) {
    // It has time to answer when it continues.
    other.silent = std::min<std::chrono::nanoseconds>(other.silent, limits_.warn_after);
  }
  if (other.silent < (other.asked + 1) * ask_after_) return;
  ++other.asked;
  steps.push_back({rank, Step::Kind::kAsk, ""});
}

std::string Silence::silence_of(const Other& other, ProcessState state) const {
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.3g s (",
                std::chrono::duration<double>(other.silent).count());
  return seconds.data() + describe(other.process, state) + ")";
}

}  // namespace kumiko::cluster::detail
