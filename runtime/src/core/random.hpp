// A small pseudo-random generator with which thieves choose whom to visit.
#pragma once

#include <cstdint>

namespace kumiko::runtime::detail {

/// Pseudo-random numbers, good enough to spread thieves: Marsaglia's xorshift32 (Journal of
/// Statistical Software 8, 2003).
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept
      // Mixed by a multiplication, so that neighbouring seeds differ; never 0, where it would stay.
      : state_(static_cast<std::uint32_t>((seed + 1) * 0xff51afd7ed558ccdU >> 32) | 1U) {}

  std::uint32_t operator()() noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }

 private:
  std::uint32_t state_;
};

}  // namespace kumiko::runtime::detail
