// The kernels of one kind that this processor can run, whichever of them Kumiko would choose.
#pragma once

#include <vector>

namespace kumiko::test {

inline bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

inline bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

/// The baseline's first.
template <class Kernel>
std::vector<Kernel> kernels_here(Kernel baseline, Kernel avx2, Kernel avx512) {
  std::vector<Kernel> kernels = {baseline};
  if (has_avx2()) kernels.push_back(avx2);
  if (has_avx512()) kernels.push_back(avx512);
  return kernels;
}

}  // namespace kumiko::test
