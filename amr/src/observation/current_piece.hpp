// What a worker does at this moment, written by it and read by whoever watches.
#pragma once

#include <atomic>
#include <cstdint>

#include <kumiko/amr/activity.hpp>

namespace kumiko::amr {

/// A seqlock with one writer: what a worker does now, for others to read at any time.
///
/// The version is odd while the worker is at a piece and even while it is idle. Unlike in a common
/// seqlock, each change raises it once, for the two states have words of their own: place_, task_
/// and begun_ are written before the version becomes odd, idle_since_ before it becomes even. So
/// the words of one state change only while the version tells of the other.
///
/// A reader that finds the same version before and after the words of its state has read words that
/// belong together. They were complete before the version came (its release, and the acquire of the
/// reader's first look). And had the reader met a word of a later piece, its second look would find
/// a later version, since the version in between was raised before that word was written (the
/// word's release, and the reader's acquire of it). Cost of a piece: six plain stores on x86-64.
class CurrentPiece {
 public:
  /// Begins in the idle state, before anybody reads.
  void start_idle(std::uint64_t ticks) { idle_since_.store(ticks, std::memory_order_relaxed); }

  void begin(const PatchId& patch, PieceKind kind, int base_step, std::uint64_t ticks) {
    place_.store(pack(patch.i, patch.j), std::memory_order_release);
    task_.store(pack(base_step, patch.level * 4 + static_cast<int>(kind)),
                std::memory_order_release);
    begun_.store(ticks, std::memory_order_release);
    raise_version();
  }
  void end(std::uint64_t ticks) {
    idle_since_.store(ticks, std::memory_order_release);
    raise_version();
  }

  /// What the worker does; from any thread. \param now  in ticks, as `seconds_per_tick` counts them
  WorkerActivity read(std::uint64_t now, double seconds_per_tick) const;

 private:
  static std::uint64_t pack(int low, int high) {
    return static_cast<std::uint32_t>(low) |
           static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32U;
  }
  void raise_version() {
    version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::uint64_t> place_{0};
  std::atomic<std::uint64_t> task_{0};
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> idle_since_{0};
};

}  // namespace kumiko::amr
