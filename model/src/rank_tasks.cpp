#include "rank_tasks.hpp"

#include <algorithm>

#include <kumiko/amr/placement.hpp>

#include "schedule_replay.hpp"

namespace kumiko::model {

namespace {

// What is read of a patch, in bytes.
constexpr std::uint64_t kNumber = sizeof(double);
constexpr std::uint64_t kGhosts = 2;
constexpr std::uint64_t kSide = amr::kPatchSize;
constexpr std::uint64_t kStrip = kSide * kGhosts * kNumber;
constexpr std::uint64_t kCorner = kGhosts * kGhosts * kNumber;
constexpr std::uint64_t kWhole = (kSide + 2 * kGhosts) * (kSide + 2 * kGhosts) * kNumber;
constexpr std::uint64_t kRestricted = kSide / 2 * (kSide / 2) * kNumber;

/// Stands for all patches of a rank.
constexpr std::uint32_t kAnyone = UINT32_MAX;

amr::Mesh<2> mesh_of(const amr::Trace& trace, const amr::TraceStretch& stretch) {
  amr::Mesh<2> mesh(
      {.patches = {trace.points_x / amr::kPatchSize, trace.points_y / amr::kPatchSize},
       .extent = {1.0, 1.0},
       .periodic = {false, false}});
  const std::vector<std::uint32_t> level_begin = levels_of(trace, stretch);
  for (std::size_t level = 0; level + 1 < level_begin.size(); ++level) {
    if (level > 0 && level_begin[level] == level_begin[level + 1]) break;
    mesh.assign(static_cast<int>(level), {trace.patches.begin() + level_begin[level],
                                          trace.patches.begin() + level_begin[level + 1]});
  }
  return mesh;
}

/// What a base step took of each patch.
amr::ByPatch<double> measured_costs(const amr::Trace& trace, const amr::TraceStretch& stretch) {
  const std::vector<std::uint32_t> level_begin = levels_of(trace, stretch);
  amr::ByPatch<double> costs(level_begin.size() - 1);
  for (std::size_t level = 0; level < costs.size(); ++level) {
    costs[level].resize(level_begin[level + 1] - level_begin[level]);
  }
  const Bundle pieces = pieces_of(trace, stretch);
  for (std::uint32_t at = pieces.begin; at < pieces.end; ++at) {
    const amr::TracePiece& piece = trace.pieces[at];
    const auto level = static_cast<std::size_t>(trace.patches[piece.patch].level);
    costs[level][piece.patch - level_begin[level]] += cost_of(piece) / stretch.steps;
  }
  while (costs.size() > 1 && costs.back().empty()) costs.pop_back();
  return costs;
}

}  // namespace

amr::ByPatch<double> KnownCosts::expected(const amr::Trace& trace,
                                          const amr::TraceStretch& stretch) const {
  const amr::Mesh<2> mesh = mesh_of(trace, stretch);
  amr::ByPatch<double> costs = amr::expected_costs(mesh, trace.subcycling);
  if (costs_.empty()) return costs;
  for (int index = 0; index < mesh.levels(); ++index) {
    std::vector<double>& level = costs[static_cast<std::size_t>(index)];
    double sum = 0.0;
    std::size_t measured = 0;
    for (auto known = costs_.lower_bound({index, 0, 0});
         known != costs_.end() && known->first.level == index; ++known, ++measured) {
      sum += known->second;
    }
    // A level that is new costs what its patches do on level 0, as often as it steps.
    const double of_first = costs_.begin()->second;
    const double mean = measured > 0 ? sum / static_cast<double>(measured) : of_first * level[0];
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      const auto known = costs_.find(mesh.ids(index)[slot]);
      level[slot] = known != costs_.end() ? known->second : mean;
    }
  }
  return costs;
}

void KnownCosts::measure(const amr::Trace& trace, const amr::TraceStretch& stretch) {
  const amr::ByPatch<double> costs = measured_costs(trace, stretch);
  costs_.clear();
  auto patch = trace.patches.begin() + stretch.first_patch;
  for (const std::vector<double>& level : costs) {
    for (const double cost : level) costs_.emplace_hint(costs_.end(), *patch++, cost);
  }
}

RankTasks::RankTasks(const amr::Trace& trace, const amr::TraceStretch& stretch,
                     const KnownCosts& known, const RankOptions& options, int ranks)
    : trace_(trace), tasks_([&] {
        const auto owner_of = amr::deal(options.partition, mesh_of(trace, stretch),
                                        known.expected(trace, stretch), ranks, options.seed);
        imbalance_ = amr::imbalance(measured_costs(trace, stretch), owner_of, ranks);
        return BlockTasks(trace, stretch, blocks_of(owner_of, ranks, options.workers));
      }()) {}

/// Equal parts of each rank's patches of a level.
std::vector<LevelBlocks> RankTasks::blocks_of(const amr::ByPatch<std::int32_t>& owner_of, int ranks,
                                              int workers) {
  std::vector<LevelBlocks> levels;
  for (const std::vector<std::int32_t>& owners : owner_of) {
    std::vector<std::size_t> held(static_cast<std::size_t>(ranks));
    for (const std::int32_t owner : owners) ++held[static_cast<std::size_t>(owner)];
    LevelBlocks level;
    std::vector<std::size_t> first_block;
    for (int rank = 0; rank < ranks; ++rank) {
      first_block.push_back(level.homes.size());
      const std::size_t own = held[static_cast<std::size_t>(rank)];
      level.homes.insert(level.homes.end(), amr::block_count(own, workers), rank);
    }
    std::vector<std::size_t> seen(held.size());
    for (const std::int32_t owner : owners) {
      const auto rank = static_cast<std::size_t>(owner);
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

/// For whom what `to` reads of `from` is, and its bytes.
std::pair<std::uint32_t, std::uint64_t> RankTasks::read_of(std::uint32_t from,
                                                           std::uint32_t to) const {
  const amr::PatchId& source = trace_.patches[trace_.pieces[from].patch];
  const std::uint32_t reader = trace_.pieces[to].patch;
  const amr::PatchId& target = trace_.patches[reader];
  const auto kind_of = [this](std::uint32_t piece) {
    return trace_.phases[trace_.pieces[piece].phase].kind;
  };
  if (source.level > target.level) {
    // Those beside the parent only wait.
    const int finer = source.level - target.level;
    const bool is_parent = source.i >> finer == target.i && source.j >> finer == target.j;
    return {kAnyone, is_parent ? kRestricted : 0};
  }
  if (source.level < target.level) {
    // What a coarser patch ends with a finer one does not read: it lets it go on.
    return {kAnyone, kind_of(from) == amr::PieceKind::kFinish ? 0 : kWhole};
  }
  if (kind_of(to) == amr::PieceKind::kFinish) return {reader, 0};
  // Around a periodic side the indices differ by more.
  const bool is_corner = source.i != target.i && source.j != target.j;
  return {reader, is_corner ? kCorner : kStrip};
}

}  // namespace kumiko::model
