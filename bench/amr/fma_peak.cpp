#include "fma_peak.hpp"

namespace kumiko::bench {

std::vector<Peak> peaks() {
  std::vector<Peak> result;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    result.push_back({"avx2", fma_loop_avx2});
  }
  if (__builtin_cpu_supports("avx512f")) result.push_back({"avx512", fma_loop_avx512});
  return result;
}

}  // namespace kumiko::bench
