// Decides when the patches of a shared mesh get other owners.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/partition.hpp>

namespace kumiko::amr {

/// What a patch has taken its owner.
struct MeasuredCost {
  double seconds = 0.0;
  std::int32_t owner = 0;
};

/// Goes by the seconds that patches have taken, as their owners have measured them, so that a slow
/// owner gets fewer; before there are any, by what is expected of them. All owners have one, tell
/// it the same and decide alike. Where patches are changes no bit of a run.
///
/// Noise moves nothing. A patch counts at most three times the median of its owner's patches of
/// its level, for its worker may have been interrupted. Patches move when an owner has more than
/// kTolerated times the mean, at two regrids in a row where that is measured, and if the other
/// partition is better.
class Balance {
 public:
  static constexpr double kTolerated = 1.1;

  /// \param seed  of a random partition
  Balance(PartitionKind partition, std::int32_t owners, std::uint64_t seed = 1)
      : partition_(partition), owners_(owners), seed_(seed) {}

  /// Tells of the patches' costs since the last call: of all owners, in canonical order.
  void note(std::vector<Part<MeasuredCost>> measured);

  /// Whose the patches are to be; nothing if they stay where they are. O(patches log patches).
  /// \param expected  as expected_costs() has it, with the solver's weights
  std::optional<ByPatch<std::int32_t>> decide(const Mesh<2>& mesh, const ByPatch<double>& expected);

 private:
  ByPatch<double> costs(const Mesh<2>& mesh, const ByPatch<double>& expected) const;

  PartitionKind partition_;
  std::int32_t owners_;
  std::uint64_t seed_;
  std::vector<Part<MeasuredCost>> measured_;  ///< in canonical order
  int in_a_row_ = 0;                          ///< calls of decide() that found it too uneven
};

}  // namespace kumiko::amr
