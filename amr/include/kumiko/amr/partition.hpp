// Partitions: how the patches of a mesh are distributed among ranks.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

#include <kumiko/amr/mesh.hpp>

namespace kumiko::amr {

/// One value for each patch of a mesh, by level and slot.
template <class T>
using ByPatch = std::vector<std::vector<T>>;

/// Distributes the patches among ranks 0, 1, ..., so that each has about the same total cost. The
/// same arguments give the same result on every machine, so the result need not be sent. O(patches
/// log patches).
template <class P>
concept Partition = requires(const P& partition, const Mesh<2>& mesh, const ByPatch<double>& costs,
                             int ranks) {
  { partition(mesh, costs, ranks) } -> std::same_as<ByPatch<std::int32_t>>;
};

/// Cuts the patches of all levels depth first along the space-filling curve
/// (Mesh::space_filling_order()), so that parents and children mostly have one rank: the fewest
/// bytes between ranks.
struct DepthFirstPartition {
  ByPatch<std::int32_t> operator()(const Mesh<2>& mesh, const ByPatch<double>& costs,
                                   int ranks) const;
};

/// Cuts each level along the curve: ranks have equal parts of each phase of a step.
struct LevelPartition {
  ByPatch<std::int32_t> operator()(const Mesh<2>& mesh, const ByPatch<double>& costs,
                                   int ranks) const;
};

/// Divides each level by rows: the simplest partition, for comparison.
struct CanonicalPartition {
  ByPatch<std::int32_t> operator()(const Mesh<2>& mesh, const ByPatch<double>& costs,
                                   int ranks) const;
};

/// Distributes patches at random, without regard to their costs: the worst case, for tests.
struct RandomPartition {
  std::uint64_t seed = 1;

  ByPatch<std::int32_t> operator()(const Mesh<2>& mesh, const ByPatch<double>& costs,
                                   int ranks) const;
};

static_assert(Partition<DepthFirstPartition> && Partition<LevelPartition> &&
              Partition<CanonicalPartition> && Partition<RandomPartition>);

/// The partitions that have a name.
enum class PartitionKind : std::uint8_t { kDepthFirst, kLevel, kCanonical, kRandom };
inline constexpr std::array<std::string_view, 4> kPartitionNames = {"depth-first", "level",
                                                                    "canonical", "random"};

constexpr std::array<std::string_view, 4> names_of(PartitionKind) { return kPartitionNames; }

/// Throws std::invalid_argument if there is no rank, if the costs are of another mesh, or if a
/// cost is negative or not finite.
ByPatch<std::int32_t> deal(PartitionKind kind, const Mesh<2>& mesh, const ByPatch<double>& costs,
                           int ranks, std::uint64_t seed = 1);

/// The costs of patches before there are measurements: with subcycling, a base step has 2^level
/// steps of a level, and each step of a patch advances the same number of points.
ByPatch<double> expected_costs(const Mesh<2>& mesh, bool subcycling);

/// The largest cost of a rank over the mean; 1 is perfect.
double imbalance(const ByPatch<double>& costs, const ByPatch<std::int32_t>& rank_of, int ranks);

}  // namespace kumiko::amr
