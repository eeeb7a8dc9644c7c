// Finds the ranks that do not answer although something is awaited from them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "watch/process.hpp"

namespace kumiko::cluster::detail {

/// Measures for each rank how long it has been silent while something was awaited from it, and
/// decides what to do: ask, warn, or treat it as lost.
///
/// Silence is the time between two looks at both of which something was awaited. It is zero if a
/// frame has come in between, and at most the time after which a rank is asked, so that a rank that
/// was stopped or had no core does not count that time as the silence of others.
///
/// *Invariant.* Only the poller uses the object, so it has no lock.
class Silence {
 public:
  using Clock = std::chrono::steady_clock;
  using Probe = std::function<ProcessState(const Process&)>;

  struct Limits {
    std::chrono::milliseconds warn_after;
    std::chrono::milliseconds lost_after;
  };

  /// An action for a rank.
  struct Step {
    enum class Kind {
      kAsk,
      kWarn,
      kLost,
      kEnded  ///< lost, because its process has ended
    };
    int rank;
    Kind kind;
    std::string text;  ///< the time of its silence, and the state of its process
  };

  /// \throws std::invalid_argument if limits are not positive, or lost_after is less than
  /// warn_after
  explicit Silence(int ranks, const Limits& limits, Probe probe = &state_of);

  /// A frame has come from this rank.
  void heard(int rank) noexcept { others_[static_cast<std::size_t>(rank)].is_heard = true; }

  void introduce(int rank, Process process) {
    others_[static_cast<std::size_t>(rank)].process = std::move(process);
  }

  bool is_due(Clock::time_point now) const noexcept { return now >= next_look_; }

  /// Looks. `awaited`: by rank, whether something is awaited from it.
  std::vector<Step> look(Clock::time_point now, const std::vector<bool>& awaited);

  /// True if a sleeping worker must wake for the next look, because something was awaited at the
  /// last one or may be since. `activity` changes whenever something begins to be awaited.
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
