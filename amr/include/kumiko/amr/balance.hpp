// Decides when patches of a shared mesh move to other ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/partition.hpp>

namespace kumiko::amr {

/// The time that a patch has taken its rank.
struct MeasuredCost {
  double seconds = 0.0;
  std::int32_t rank = 0;
};

/// Uses the seconds that patches have taken, as measured by their ranks, so that a slow rank gets
/// fewer patches; before there are measurements, it uses expected costs. Every rank has such an
/// object, passes the same data to it and gets the same decision. The ranks of patches do not
/// change a bit of a run's results.
///
/// Noise does not move patches. The cost of a patch is limited to three times the median of its
/// rank's patches of its level, because its worker may have been interrupted. Patches move if an
/// rank has more than kTolerated times the mean cost, for measured costs at two regrids in a row,
/// and if the new partition is better.
class Balance {
 public:
  static constexpr double kTolerated = 1.1;

  /// \param seed  of a random partition
  Balance(PartitionKind partition, std::int32_t ranks, std::uint64_t seed = 1)
      : partition_(partition), ranks_(ranks), seed_(seed) {}

  /// Adds the patches' costs since the last call, of all ranks, in canonical order.
  void note(std::vector<PatchValue<MeasuredCost>> measured);

  /// The new ranks of the patches; nothing if they keep their ranks. O(patches log patches).
  /// \param expected  as expected_costs() has it, with the solver's weights
  std::optional<ByPatch<std::int32_t>> decide(const Mesh<2>& mesh, const ByPatch<double>& expected);

 private:
  ByPatch<double> costs(const Mesh<2>& mesh, const ByPatch<double>& expected) const;

  PartitionKind partition_;
  std::int32_t ranks_;
  std::uint64_t seed_;
  std::vector<PatchValue<MeasuredCost>> measured_;  ///< in canonical order
  int in_a_row_ = 0;  ///< calls of decide() that found the costs too uneven
};

}  // namespace kumiko::amr
