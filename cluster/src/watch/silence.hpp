// Finds out which of the ranks that something is awaited of do not live any more.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "watch/process.hpp"

namespace kumiko::cluster::detail {

/// How long each rank has been silent while something was awaited of it, and what is to be done
/// about that. The poller's; it looks at times only.
///
/// Silence is what passes between two looks at both of which something was awaited, none of it if a
/// frame has come in between, and not more than twice the time that should pass: a rank that was
/// stopped itself, or had no core, does not take that for the silence of others.
class Silence {
 public:
  using Clock = std::chrono::steady_clock;
  using Probe = std::function<ProcessState(const Process&)>;

  struct Limits {
    std::chrono::milliseconds warn_after;
    std::chrono::milliseconds lost_after;
  };

  /// What is to be done about a rank.
  struct Step {
    enum class Kind {
      kAsk,
      kWarn,
      kLost,
      kEnded  ///< lost since its process has ended
    };
    int rank;
    Kind kind;
    std::string text;  ///< how long it has been silent, and what its process does
  };

  /// \throws std::invalid_argument for limits that are not positive, or do not follow each other
  explicit Silence(int ranks, const Limits& limits, Probe probe = &state_of);

  /// A frame has come from this rank.
  void heard(int rank) noexcept { others_[static_cast<std::size_t>(rank)].is_heard = true; }

  void introduce(int rank, Process process) {
    others_[static_cast<std::size_t>(rank)].process = std::move(process);
  }

  bool is_due(Clock::time_point now) const noexcept { return now >= next_look_; }

  /// Looks. `awaited` says by rank of whom something is awaited.
  std::vector<Step> look(Clock::time_point now, const std::vector<bool>& awaited);

  /// Whether a look is to come though nobody polls: when something was awaited at the last one, or
  /// may be since. `activity` changes whenever something begins to be awaited.
  bool wants_look(std::uint64_t activity) const noexcept {
    return was_awaiting_ || activity != activity_seen_;
  }
  void note_activity(std::uint64_t activity) noexcept { activity_seen_ = activity; }
  Clock::time_point next_look() const noexcept { return next_look_; }

 private:
  struct Other {
    bool is_heard = false;
    bool was_awaited = false;
    bool is_warned_of = false;
    int asked = 0;
    std::chrono::nanoseconds silent{0};
    Process process;

    void forget() noexcept {
      silent = std::chrono::nanoseconds(0);
      asked = 0;
      is_warned_of = false;
    }
  };

  void judge(int rank, Other& other, std::vector<Step>& steps);
  std::string silence_of(const Other& other, ProcessState state) const;

  const Limits limits_;
  const Probe probe_;
  const std::chrono::nanoseconds ask_after_;
  const std::chrono::nanoseconds period_;
  std::vector<Other> others_;
  Clock::time_point next_look_;
  Clock::time_point latest_look_;
  std::uint64_t activity_seen_ = 0;
  bool was_awaiting_ = false;
};

}  // namespace kumiko::cluster::detail
