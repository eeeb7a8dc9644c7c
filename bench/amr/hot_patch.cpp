#include "hot_patch.hpp"

#include <limits>
#include <random>
#include <stdexcept>

namespace kumiko::bench {

using solvers::cubic::Upwind;

std::vector<IsaKernel> kernels() {
  std::vector<IsaKernel> result = {{"baseline", solvers::cubic::advance_baseline}};
  if (__builtin_cpu_supports("avx2")) result.push_back({"avx2", solvers::cubic::advance_avx2});
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    result.push_back({"avx512", solvers::cubic::advance_avx512});
  }
  return result;
}

HotPatch::HotPatch(bool uniform_upwind)
    : upwind_(uniform_upwind ? Upwind::kBelow : Upwind::kMixed) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> value(0.0, 1.0);
  std::uniform_real_distribution<double> displacement(-0.9, uniform_upwind ? -0.1 : 0.9);
  for (double& u : before_) u = value(random);
  for (double& x : x_) x = displacement(random);
  for (double& y : y_) y = displacement(random);
}

double HotPatch::advance(solvers::cubic::Kernel kernel, long times) {
  const double untouched = std::numeric_limits<double>::max();
  after_[kOrigin] = untouched;
  for (long time = 0; time < times; ++time) {
    kernel({&before_[kOrigin], &after_[kOrigin], kStride, x_.data(), y_.data(), upwind_, upwind_});
  }
  if (after_[kOrigin] == untouched) throw std::runtime_error("the kernel did nothing");
  return static_cast<double>(times) * kSize * kSize;
}

}  // namespace kumiko::bench
