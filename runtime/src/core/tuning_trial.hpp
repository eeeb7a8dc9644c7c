// Decides from measured turns whether a group is better on or off.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kumiko::runtime::detail {

/// Turns of a group in an epoch, and their time in whatever unit.
struct EpochTurns {
  std::uint64_t turns = 0;
  std::uint64_t ticks = 0;
};

/// Pairs of epochs, of each of which one is with the group on and one with it off; a pair says how
/// long a turn takes on over off. The median of the pairs decides, so that whatever disturbs single
/// epochs does not.
class TuningTrial {
 public:
  /// Turns that an epoch has at least.
  static constexpr std::uint64_t kLeastTurns = 20;
  /// On must take less than this part of off: where there is nothing to gain it is off.
  static constexpr double kGain = 0.97;

  /// A trial of so many pairs.
  explicit TuningTrial(int pairs) : pairs_(static_cast<std::size_t>(pairs)) {}

  /// The two epochs of a pair.
  void add(const EpochTurns& on, const EpochTurns& off) {
    ratios_.push_back(per_turn(on) / per_turn(off));
  }

  bool is_over() const noexcept { return ratios_.size() >= pairs_; }

  /// Whether being on gains, by the pairs so far, of which there are some.
  bool gains() const {
    std::vector<double> sorted = ratios_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle < kGain;
  }

 private:
  /// A turn takes one tick at least, so that no ratio is 0 / 0.
  static double per_turn(const EpochTurns& epoch) noexcept {
    return static_cast<double>(std::max(epoch.ticks, epoch.turns)) /
           static_cast<double>(epoch.turns);
  }

  std::size_t pairs_;
  std::vector<double> ratios_;
};

}  // namespace kumiko::runtime::detail
