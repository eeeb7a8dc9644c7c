#include "ranks/rank_deals.hpp"

#include <cstddef>

#include "schedule/schedule_replay.hpp"

namespace kumiko::model {

namespace {

amr::Mesh<2> mesh_of(const amr::Trace& trace, const amr::TraceWindow& window) {
  amr::Mesh<2> mesh(
      {.patches = {trace.points_x / amr::kPatchSize, trace.points_y / amr::kPatchSize},
       .extent = {1.0, 1.0},
       .periodic = {false, false}});
  const std::vector<std::uint32_t> level_begin = levels_of(trace, window);
  for (std::size_t level = 0; level + 1 < level_begin.size(); ++level) {
    if (level > 0 && level_begin[level] == level_begin[level + 1]) break;
    mesh.assign(static_cast<int>(level), {trace.patches.begin() + level_begin[level],
                                          trace.patches.begin() + level_begin[level + 1]});
  }
  return mesh;
}

/// The time of each patch in a window.
amr::ByPatch<double> costs_of(const amr::Trace& trace, const amr::TraceWindow& window) {
  const std::vector<std::uint32_t> level_begin = levels_of(trace, window);
  amr::ByPatch<double> costs(level_begin.size() - 1);
  for (std::size_t level = 0; level < costs.size(); ++level) {
    costs[level].resize(level_begin[level + 1] - level_begin[level]);
  }
  const Bundle pieces = pieces_of(trace, window);
  for (std::uint32_t at = pieces.begin; at < pieces.end; ++at) {
    const amr::TracePiece& piece = trace.pieces[at];
    const auto level = static_cast<std::size_t>(trace.patches[piece.patch].level);
    costs[level][piece.patch - level_begin[level]] += cost_of(piece);
  }
  while (costs.size() > 1 && costs.back().empty()) costs.pop_back();
  return costs;
}

}  // namespace

RankDeals::RankDeals(const amr::Trace& trace, const RankOptions& options, int ranks)
    : trace_(trace),
      options_(options),
      ranks_(ranks),
      balance_(options.partition, ranks, options.seed) {}

Meetings::Moves RankDeals::follow(const amr::TraceWindow& window, bool is_after_regrid) {
  amr::Mesh<2> mesh = mesh_of(trace_, window);
  costs_ = costs_of(trace_, window);
  Meetings::Moves moves;
  if (!mesh_) {
    mesh_ = std::move(mesh);
    set_ranks(amr::deal(options_.partition, *mesh_, costs_, ranks_, options_.seed));
  } else {
    inherit(mesh);
    mesh_ = std::move(mesh);
    if (is_after_regrid) moves = balance();
  }
  measure();
  return moves;
}

Meetings::Moves RankDeals::balance() {
  std::vector<amr::PatchValue<amr::MeasuredCost>> measured;
  for (const auto& [patch, cost] : measured_) measured.push_back({patch, 0, cost});
  measured_.clear();
  balance_.note(std::move(measured));
  Meetings::Moves moves;
  if (ranks_ == 1) return moves;
  const auto better = balance_.decide(*mesh_, amr::expected_costs(*mesh_, trace_.subcycling));
  if (!better) return moves;
  const amr::ByPatch<std::int32_t> before = ranks();
  for (std::size_t level = 0; level < before.size(); ++level) {
    for (std::size_t slot = 0; slot < before[level].size(); ++slot) {
      const std::int32_t from = before[level][slot];
      const std::int32_t to = (*better)[level][slot];
      if (from != to) ++moves[{from, to}];
    }
  }
  set_ranks(*better);
  return moves;
}

/// Gives patches their previous rank, and new ones their parent's.
void RankDeals::inherit(amr::Mesh<2>& mesh) const {
  for (int level = 0; level < mesh.levels(); ++level) {
    const auto ids = mesh.ids(level);
    std::vector<std::int32_t> rank_of(ids.size());
    for (std::size_t slot = 0; slot < ids.size(); ++slot) {
      const amr::PatchId& id = ids[slot];
      if (const std::int32_t held = mesh_->find(id); held >= 0) {
        rank_of[slot] = mesh_->ranks(level)[static_cast<std::size_t>(held)];
      } else if (level > 0) {
        const std::int32_t parent = mesh.find(id.parent());
        if (parent >= 0) rank_of[slot] = mesh.ranks(level - 1)[static_cast<std::size_t>(parent)];
      }
    }
    mesh.assign(level, {ids.begin(), ids.end()}, std::move(rank_of));
  }
}

void RankDeals::measure() {
  for (std::size_t level = 0; level < costs_.size(); ++level) {
    const auto ids = mesh_->ids(static_cast<int>(level));
    const auto of_level = mesh_->ranks(static_cast<int>(level));
    for (std::size_t slot = 0; slot < ids.size(); ++slot) {
      amr::MeasuredCost& cost = measured_[ids[slot]];
      cost.seconds += 1e-9 * costs_[level][slot];
      cost.rank = of_level[slot];
    }
  }
}

void RankDeals::set_ranks(const amr::ByPatch<std::int32_t>& rank_of) {
  for (int level = 0; level < mesh_->levels(); ++level) {
    const auto ids = mesh_->ids(level);
    mesh_->assign(level, {ids.begin(), ids.end()}, rank_of[static_cast<std::size_t>(level)]);
  }
}

amr::ByPatch<std::int32_t> RankDeals::ranks() const {
  amr::ByPatch<std::int32_t> rank_of;
  for (int level = 0; level < mesh_->levels(); ++level) {
    rank_of.emplace_back(mesh_->ranks(level).begin(), mesh_->ranks(level).end());
  }
  return rank_of;
}

double RankDeals::imbalance() const { return amr::imbalance(costs_, ranks(), ranks_); }

}  // namespace kumiko::model
