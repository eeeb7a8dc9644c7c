// Which worker a patch belongs to: the rules of the backends and schedules as pure functions of
// numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace kumiko::amr {

// The engine places patches by these functions, and so does the what-if model. Slots are a level's
// patches in their order, numbered from 0. All counts are positive.

/// The strip that contains the centre of row j of patches. Strips are of equal height in y,
/// numbered from the bottom; a centre on the border of two strips belongs to the upper one. Backend
/// `pthread`.
/// \param patches_y  rows of patches of the domain on the patch's level
constexpr int strip_of(int j, std::int64_t patches_y, int strips) {
  const std::int64_t twice_centre = 2 * std::int64_t{j} + 1;
  return static_cast<int>(twice_centre * strips / (2 * patches_y));
}

/// The first slot of a worker's chunk if a loop is divided statically. If the slots cannot be
/// divided equally, the first workers get one slot more than the others. For worker = workers it is
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

/// How many blocks the dataflow schedule makes of a level's patches: enough that idle workers find
/// some to take, and few enough that waiting for blocks costs little compared with stepping.
constexpr std::size_t block_count(std::size_t slots, int workers) {
  constexpr std::size_t kOfEachWorker = 8;
  return std::min(slots, kOfEachWorker * static_cast<std::size_t>(workers));
}

/// Blocks in time: how the dataflow schedule steps a level that does not fit into a cache.
struct BlocksInTime {
  std::size_t
      blocks;  ///< number of blocks of the level, which are equal parts of its slots, none empty
  int steps;   ///< number of steps of the level that a block may take before other blocks take
               ///< theirs
};

/// If the level is larger than the cache, blocks are rows of patches and take up to eight steps in
/// a row, as far as the neighbouring rows allow. A worker then works on one row more than there are
/// steps, and reads each row from memory once for all steps. Nothing if the level fits into the
/// cache, or if twice the rows of two steps of every worker do not.
/// \param slots  number of slots of the level; the following are its rows and its size in bytes
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

/// The first home slot of a worker, if every worker has an equal part of the level; workers with
/// one slot more are spread among the others. For worker = workers it is the number of slots. The
/// dataflow schedule, whose slots are blocks.
constexpr std::size_t home_begin(int worker, std::size_t slots, int workers) {
  return slots * static_cast<std::size_t>(worker) / static_cast<std::size_t>(workers);
}

/// The home worker of a slot.
constexpr int home_of(std::size_t slot, std::size_t slots, int workers) {
  return static_cast<int>(((slot + 1) * static_cast<std::size_t>(workers) - 1) / slots);
}

/// The home worker of a slot if slots differ in weight: every worker has an equal part of the
/// level's weight, and a slot belongs to the part that contains its middle.
/// \param before  total weight of the slots before this one; `weight` is that of this slot, and
/// `all` that of the level
constexpr int weighted_home_of(double before, double weight, double all, int workers) {
  return std::min(workers - 1, static_cast<int>((before + 0.5 * weight) / all * workers));
}

}  // namespace kumiko::amr
