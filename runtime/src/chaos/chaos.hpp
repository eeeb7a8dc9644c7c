// Disturbs the schedule by pseudo-random decisions, for tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/diversion.hpp"
#include "core/random.hpp"
#include "machine/cpu_pause.hpp"

namespace kumiko::runtime::detail {

/// What Options::chaos_seed asks for, for one worker: threads wait with random workers when they
/// become ready, running ones give way, and divide their work unasked, thieves hesitate. A seed
/// makes the same decisions again.
class Chaos final : public Diversion {
 public:
  Chaos(std::uint64_t seed, int worker) noexcept
      : decisions_(seed * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(worker)),
        divisions_(~seed * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(worker)),
        pauses_(static_cast<std::uint64_t>(worker)),
        polls_per_division_(1 + seed % 4) {}

  std::size_t place_among(std::size_t places) noexcept override { return decisions_() % places; }

  bool gives_way() noexcept override { return decisions_() % 4 == 0; }

  bool divides() noexcept override { return divisions_() % polls_per_division_ == 0; }

  void hesitate() noexcept override {
    for (std::uint32_t pause = pauses_() % kMostPauses; pause > 0; --pause) cpu_pause();
  }

 private:
  static constexpr std::uint32_t kMostPauses = 200;

  Random decisions_;
  Random divisions_;
  Random pauses_;  ///< apart, since how often a thief searches depends on time
  const std::uint64_t polls_per_division_;
};

}  // namespace kumiko::runtime::detail
