// Which worker a patch belongs to: the rules of the backends and schedules, as functions of
// numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace kumiko::amr {

// The engine places patches by these functions, and so does the what-if model. Slots are a level's
// patches in their order, numbered from 0. All counts are positive.

/// Of equal strips in y, from the bottom, the one that holds the centre of row j of patches; a
/// centre on the border of two belongs to the upper one. Backend `pthread`.
/// \param patches_y  rows of patches that the domain has on the patch's level
constexpr int strip_of(int j, std::int64_t patches_y, int strips) {
  const std::int64_t twice_centre = 2 * std::int64_t{j} + 1;
  return static_cast<int>(twice_centre * strips / (2 * patches_y));
}

/// The first slot of a worker's chunk where a loop is dealt out once and for all: the first workers
/// get one slot more than the others, if they cannot all get as many. For worker = workers it is
/// the number of slots. Backend `openmp`.
constexpr std::size_t chunk_begin(int worker, std::size_t slots, int workers) {
  const auto before = static_cast<std::size_t>(worker);
  const auto parts = static_cast<std::size_t>(workers);
  return before * (slots / parts) + std::min(before, slots % parts);
}

/// The worker whose chunk holds a slot.
constexpr int chunk_of(std::size_t slot, std::size_t slots, int workers) {
  const auto parts = static_cast<std::size_t>(workers);
  const std::size_t least = slots / parts;
  const std::size_t larger = slots % parts;
  if (slot < larger * (least + 1)) return static_cast<int>(slot / (least + 1));
  return static_cast<int>(larger + (slot - larger * (least + 1)) / least);
}

/// How many blocks the dataflow schedule makes of a level's patches: enough for workers who are
/// done to find some to take, and few enough that waiting for blocks costs little beside stepping.
constexpr std::size_t block_count(std::size_t slots, int workers) {
  constexpr std::size_t kOfEachWorker = 8;
  return std::min(slots, kOfEachWorker * static_cast<std::size_t>(workers));
}

/// Blocks in time: how the dataflow schedule takes a level that a cache does not hold.
struct BlocksInTime {
  std::size_t blocks;  ///< of the level, equal parts of its slots, none empty
  int steps;           ///< of the level that a block may take before others take theirs
};

/// Where the level is larger than the cache, blocks are rows of patches and take up to eight steps
/// one after the other, as far as the rows beside them allow: a worker then has in hand one row
/// more than there are steps, and each is read from memory once for all of them. Nothing where the
/// cache holds the level, or not twice two steps' rows of every worker.
/// \param slots  of the level, in so many rows, of so many bytes together
/// \param cache  bytes that the workers share
constexpr std::optional<BlocksInTime> blocks_in_time(std::size_t slots, std::size_t rows,
                                                     std::size_t bytes, std::size_t cache,
                                                     int workers) {
  constexpr std::size_t kMost = 8;
  if (bytes <= cache) return std::nullopt;
  const std::size_t rows_in_cache = cache / (bytes / rows);
  const std::size_t steps = std::min(kMost, rows_in_cache / static_cast<std::size_t>(2 * workers));
  if (steps < 2) return std::nullopt;
  const std::size_t blocks = std::max(rows, block_count(slots, workers));
  return BlocksInTime{std::min(blocks, slots), static_cast<int>(steps)};
}

/// The first slot of those that a worker is home to, when every worker has an equal part of the
/// level, and those with a slot more lie among the others. For worker = workers it is the number of
/// slots. The dataflow schedule, whose slots are blocks.
constexpr std::size_t home_begin(int worker, std::size_t slots, int workers) {
  return slots * static_cast<std::size_t>(worker) / static_cast<std::size_t>(workers);
}

/// The worker that is home to a slot.
constexpr int home_of(std::size_t slot, std::size_t slots, int workers) {
  return static_cast<int>(((slot + 1) * static_cast<std::size_t>(workers) - 1) / slots);
}

/// The worker that is home to a slot when slots differ in weight: every worker has an equal part of
/// the level's weight, and a slot belongs to the part that holds its middle.
/// \param before  weight of the slots before this one, whose own is `weight`, of `all` in the level
constexpr int weighted_home_of(double before, double weight, double all, int workers) {
  return std::min(workers - 1, static_cast<int>((before + 0.5 * weight) / all * workers));
}

}  // namespace kumiko::amr
