#pragma once

namespace kumiko::pthread {

void give_way() noexcept;

inline constexpr unsigned kTurnsPerYield = 1024;
inline constexpr unsigned kWeightOfFailure = 64;
inline constexpr unsigned kWeightOfCall = 8;

extern thread_local constinit unsigned turns;

/// Called where a program may poll: with kWeightOfCall at calls for I/O, 1 at attempts to lock
/// something, with kWeightOfFailure where one has failed. Every so often a lightweight thread gives
/// way, for otherwise one that polls until another has done something could keep that one from its
/// worker for ever. Cost: a thread-local counter.
inline void count_turn(unsigned weight) noexcept {
  turns += weight;
  if (turns >= kTurnsPerYield) [[unlikely]]
    give_way();
}

}  // namespace kumiko::pthread
