// One patch that never leaves the first-level cache, for the kernels.
#pragma once

#include <array>
#include <vector>

#include <semi_lagrangian_cubic/kernel.hpp>

namespace kumiko::bench {

/// A kernel that this processor runs.
struct IsaKernel {
  const char* name;  ///< as in KUMIKO_ISA
  solvers::cubic::Kernel kernel;
};

/// The narrowest first.
std::vector<IsaKernel> kernels();

/// The displacements of all points differ, as with a general velocity.
class HotPatch {
 public:
  /// Uniform: all departure points lie below and to the left of theirs; else at random all around.
  explicit HotPatch(bool uniform_upwind);

  /// Advances the same patch `times` times. Returns the points advanced. Throws std::runtime_error
  /// when the kernel has left the patch as it was.
  double advance(solvers::cubic::Kernel kernel, long times);

 private:
  static constexpr int kSize = 16;
  static constexpr int kGhosts = 2;
  static constexpr int kStride = kSize + 2 * kGhosts;  // as the engine lays patches out
  static constexpr int kOrigin = kGhosts * kStride + kGhosts;

  // 10.5 kB in all.
  alignas(64) std::array<double, kStride * kStride> before_;
  alignas(64) std::array<double, kStride * kStride> after_;
  alignas(64) std::array<double, kSize * kSize> x_;
  alignas(64) std::array<double, kSize * kSize> y_;
  solvers::cubic::Upwind upwind_;
};

}  // namespace kumiko::bench
