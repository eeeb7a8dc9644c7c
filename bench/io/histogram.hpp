// Counts latencies in buckets of equal relative width, from which quantiles are read.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace kumiko::bench::io {

/// Counts of values by magnitude: 64 steps for each power of two, so that a quantile is right
/// within 0.8 %. Of fixed size.
class Histogram {
 public:
  void record(std::uint64_t value) noexcept {
    ++counts_[index_of(value)];
    ++count_;
  }

  std::uint64_t count() const noexcept { return count_; }

  /// The least value that `fraction` of all do not exceed; 0 if there are none.
  double quantile(double fraction) const noexcept {
    const auto rank = static_cast<std::uint64_t>(fraction * static_cast<double>(count_));
    std::uint64_t below = 0;
    for (std::size_t index = 0; index < counts_.size(); ++index) {
      below += counts_[index];
      if (below > rank || (below == count_ && count_ != 0)) return middle_of(index);
    }
    return 0;
  }

 private:
  static constexpr int kStepBits = 6;
  static constexpr std::size_t kSteps = std::size_t{1} << kStepBits;

  /// Values below 2 * kSteps each have their own index; above, the leading kStepBits + 1 bits
  /// count.
  static std::size_t index_of(std::uint64_t value) noexcept {
    const int excess = std::bit_width(value) - (kStepBits + 1);
    const auto shift = static_cast<std::size_t>(excess > 0 ? excess : 0);
    return shift * kSteps + static_cast<std::size_t>(value >> shift);
  }

  static double middle_of(std::size_t index) noexcept {
    if (index < 2 * kSteps) return static_cast<double>(index);
    const std::size_t shift = index / kSteps - 1;
    const auto first = static_cast<double>((index - shift * kSteps) << shift);
    return first + static_cast<double>((std::size_t{1} << shift) - 1) / 2;
  }

  std::array<std::uint64_t, (64 - kStepBits) * kSteps + kSteps> counts_{};
  std::uint64_t count_ = 0;
};

}  // namespace kumiko::bench::io
