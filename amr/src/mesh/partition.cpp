#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>

#include <kumiko/amr/partition.hpp>
#include <kumiko/amr/placement.hpp>
#include <kumiko/amr/require.hpp>

namespace kumiko::amr {

namespace {

/// A patch in the order in which a rank's come one after another.
struct Place {
  std::size_t level;
  std::size_t slot;
};

ByPatch<std::int32_t> nobody(const Mesh<2>& mesh) {
  ByPatch<std::int32_t> ranks(static_cast<std::size_t>(mesh.levels()));
  for (int level = 0; level < mesh.levels(); ++level) {
    ranks[static_cast<std::size_t>(level)].resize(mesh.size(level));
  }
  return ranks;
}

/// The curve, as places.
std::vector<Place> curve(const Mesh<2>& mesh) {
  std::vector<Place> places;
  for (const PatchId& id : mesh.space_filling_order()) {
    places.push_back({static_cast<std::size_t>(id.level), static_cast<std::size_t>(mesh.find(id))});
  }
  return places;
}

/// Cuts a list into parts of equal cost. A patch goes where its middle lies; where nothing costs
/// anything, all cost the same.
void cut(std::span<const Place> places, const ByPatch<double>& costs, int ranks,
         ByPatch<std::int32_t>& rank_of) {
  double total = 0.0;
  for (const Place& place : places) total += costs[place.level][place.slot];
  const bool is_free = total <= 0.0;
  if (is_free) total = static_cast<double>(places.size());
  double before = 0.0;
  for (const Place& place : places) {
    const double cost = is_free ? 1.0 : costs[place.level][place.slot];
    rank_of[place.level][place.slot] = weighted_home_of(before, cost, total, ranks);
    before += cost;
  }
}

}  // namespace

ByPatch<std::int32_t> DepthFirstPartition::operator()(const Mesh<2>& mesh,
                                                      const ByPatch<double>& costs,
                                                      int ranks) const {
  ByPatch<std::int32_t> rank_of = nobody(mesh);
  cut(curve(mesh), costs, ranks, rank_of);
  return rank_of;
}

ByPatch<std::int32_t> LevelPartition::operator()(const Mesh<2>& mesh, const ByPatch<double>& costs,
                                                 int ranks) const {
  ByPatch<std::int32_t> rank_of = nobody(mesh);
  std::vector<std::vector<Place>> levels(rank_of.size());
  for (const Place& place : curve(mesh)) levels[place.level].push_back(place);
  for (const std::vector<Place>& level : levels) cut(level, costs, ranks, rank_of);
  return rank_of;
}

ByPatch<std::int32_t> CanonicalPartition::operator()(const Mesh<2>& mesh,
                                                     const ByPatch<double>& costs,
                                                     int ranks) const {
  ByPatch<std::int32_t> rank_of = nobody(mesh);
  for (std::size_t level = 0; level < rank_of.size(); ++level) {
    std::vector<Place> places;
    for (std::size_t slot = 0; slot < rank_of[level].size(); ++slot) {
      places.push_back({level, slot});
    }
    cut(places, costs, ranks, rank_of);
  }
  return rank_of;
}

ByPatch<std::int32_t> RandomPartition::operator()(const Mesh<2>& mesh,
                                                  const ByPatch<double>& /*costs*/,
                                                  int ranks) const {
  ByPatch<std::int32_t> rank_of = nobody(mesh);
  std::mt19937_64 random(seed);
  for (std::vector<std::int32_t>& level : rank_of) {
    for (std::int32_t& rank : level) {
      rank = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(ranks));
    }
  }
  return rank_of;
}

ByPatch<std::int32_t> deal(PartitionKind kind, const Mesh<2>& mesh, const ByPatch<double>& costs,
                           int ranks, std::uint64_t seed) {
  require(ranks >= 1, "a mesh cannot be dealt to {} ranks; give at least 1", ranks);
  require(costs.size() == static_cast<std::size_t>(mesh.levels()),
          "there are costs of {} levels, but the mesh has {}", costs.size(), mesh.levels());
  for (int level = 0; level < mesh.levels(); ++level) {
    const std::vector<double>& of_level = costs[static_cast<std::size_t>(level)];
    require(of_level.size() == mesh.size(level), "level {} has {} costs, but {} patches", level,
            of_level.size(), mesh.size(level));
    for (const double cost : of_level) {
      require(cost >= 0.0 && std::isfinite(cost), "a patch of level {} costs {}", level, cost);
    }
  }
  switch (kind) {
    case PartitionKind::kDepthFirst:
      return DepthFirstPartition()(mesh, costs, ranks);
    case PartitionKind::kLevel:
      return LevelPartition()(mesh, costs, ranks);
    case PartitionKind::kCanonical:
      return CanonicalPartition()(mesh, costs, ranks);
    case PartitionKind::kRandom:
      break;
  }
  return RandomPartition{seed}(mesh, costs, ranks);
}

ByPatch<double> expected_costs(const Mesh<2>& mesh, bool subcycling) {
  ByPatch<double> costs(static_cast<std::size_t>(mesh.levels()));
  for (int level = 0; level < mesh.levels(); ++level) {
    costs[static_cast<std::size_t>(level)].assign(mesh.size(level),
                                                  subcycling ? std::ldexp(1.0, level) : 1.0);
  }
  return costs;
}

double imbalance(const ByPatch<double>& costs, const ByPatch<std::int32_t>& rank_of, int ranks) {
  std::vector<double> of_rank(static_cast<std::size_t>(ranks));
  double total = 0.0;
  for (std::size_t level = 0; level < costs.size(); ++level) {
    for (std::size_t slot = 0; slot < costs[level].size(); ++slot) {
      of_rank[static_cast<std::size_t>(rank_of[level][slot])] += costs[level][slot];
      total += costs[level][slot];
    }
  }
  return total > 0.0 ? *std::ranges::max_element(of_rank) * ranks / total : 1.0;
}

}  // namespace kumiko::amr
