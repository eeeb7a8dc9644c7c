// The step of solver THINC, compiled once for each instruction set.
#pragma once

#include "step.hpp"

namespace kumiko::solvers::thinc {

/// Layers of ghosts, and of velocities, that a step reads.
constexpr int kGhosts = 3;

/// What shapes the profiles.
struct Profile {
  double beta;    ///< steepness of a profile along the interface's normal, in cells⁻¹; at most 6
  double middle;  ///< of the two values that the interface parts
  double half;    ///< half of their difference
};

using Kernel = void (*)(const flux_form::Step& step, const Profile& profile, bool limited);

/// All three give the same bits: the arithmetic of a cell has one order, without fused
/// multiply-adds. About 170 flops, 5 divisions and a root for a face that an interface flows
/// through, 20 flops for any other.
void step_baseline(const flux_form::Step& step, const Profile& profile, bool limited);
void step_avx2(const flux_form::Step& step, const Profile& profile, bool limited);
void step_avx512(const flux_form::Step& step, const Profile& profile, bool limited);

}  // namespace kumiko::solvers::thinc
