#include "ranks/rank_tasks.hpp"

#include <algorithm>

#include <kumiko/amr/placement.hpp>

#include "ranks/rank_exchange.hpp"

namespace kumiko::model {

namespace {

// The parts of a patch that are read besides strips, in bytes.
constexpr std::uint64_t kSide = amr::kPatchSize;
constexpr std::uint64_t kWhole = (kSide + 2 * kGhostRows) * (kSide + 2 * kGhostRows) * kNumberBytes;
constexpr std::uint64_t kRestricted = kSide / 2 * (kSide / 2) * kNumberBytes;

/// Stands for all patches of a rank.
constexpr std::uint32_t kAnyone = UINT32_MAX;

}  // namespace

RankTasks::RankTasks(const amr::Trace& trace, const amr::TraceWindow& window,
                     const amr::ByPatch<std::int32_t>& rank_of, const RankOptions& options,
                     int ranks)
    : trace_(trace), tasks_(trace, window, blocks_of(rank_of, ranks, options.workers)) {}

/// Equal parts of each rank's patches of a level.
std::vector<LevelBlocks> RankTasks::blocks_of(const amr::ByPatch<std::int32_t>& rank_of, int ranks,
                                              int workers) {
  std::vector<LevelBlocks> levels;
  for (const std::vector<std::int32_t>& of_level : rank_of) {
    std::vector<std::size_t> held(static_cast<std::size_t>(ranks));
    for (const std::int32_t rank : of_level) ++held[static_cast<std::size_t>(rank)];
    LevelBlocks level;
    std::vector<std::size_t> first_block;
    for (int rank = 0; rank < ranks; ++rank) {
      first_block.push_back(level.homes.size());
      const std::size_t own = held[static_cast<std::size_t>(rank)];
      level.homes.insert(level.homes.end(), amr::block_count(own, workers), rank);
    }
    std::vector<std::size_t> seen(held.size());
    for (const std::int32_t number : of_level) {
      const auto rank = static_cast<std::size_t>(number);
      const auto blocks = static_cast<int>(amr::block_count(held[rank], workers));
      const int block = amr::home_of(seen[rank]++, held[rank], blocks);
      level.block_of.push_back(
          static_cast<std::uint32_t>(first_block[rank] + static_cast<std::size_t>(block)));
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

Parcel RankTasks::parcel_of(std::span<const Edge> edges) {
  Parcel parcel;
  items_.clear();
  for (const Edge& edge : edges) {
    parcel.tasks.push_back(edge.task);
    const auto [reader, bytes] = read_of(edge.from, edge.to);
    const Item item{edge.from, reader};
    if (bytes == 0 || std::ranges::find(items_, item) != items_.end()) continue;
    items_.push_back(item);
    parcel.bytes += bytes;
  }
  parcel.items = static_cast<std::uint32_t>(items_.size());
  return parcel;
}

/// The patch that reads the data which `to` reads of `from`, or kAnyone if all patches of a rank
/// read the same data; and the bytes.
std::pair<std::uint32_t, std::uint64_t> RankTasks::read_of(std::uint32_t from,
                                                           std::uint32_t to) const {
  const amr::PatchId& source = trace_.patches[trace_.pieces[from].patch];
  const std::uint32_t reader = trace_.pieces[to].patch;
  const amr::PatchId& target = trace_.patches[reader];
  const auto kind_of = [this](std::uint32_t piece) {
    return trace_.phases[trace_.pieces[piece].phase].kind;
  };
  if (source.level > target.level) {
    // Neighbours of the parent only wait.
    const int finer = source.level - target.level;
    const bool is_parent = source.i >> finer == target.i && source.j >> finer == target.j;
    return {kAnyone, is_parent ? kRestricted : 0};
  }
  if (source.level < target.level) {
    // A finer patch does not read the last piece of a coarser one: that only lets it continue.
    return {kAnyone, kind_of(from) == amr::PieceKind::kFinish ? 0 : kWhole};
  }
  if (kind_of(to) == amr::PieceKind::kFinish) return {reader, 0};
  // Around a periodic side the indices differ by more.
  const bool is_corner = source.i != target.i && source.j != target.j;
  return {reader, is_corner ? kCornerBytes : kStripBytes};
}

}  // namespace kumiko::model
