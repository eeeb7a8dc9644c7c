#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernel.hpp"

namespace kumiko::solvers::cubic {

Kernel select_kernel() {
#if defined(__x86_64__)
  const char* const wish = std::getenv("KUMIKO_ISA");
  const std::string_view limit = wish == nullptr ? "avx512" : wish;
  if (limit != "baseline" && limit != "avx2" && limit != "avx512") {
    throw std::invalid_argument("KUMIKO_ISA is '" + std::string(limit) +
                                "'; it can be baseline, avx2 or avx512");
  }
  if (limit == "baseline") return advance_baseline;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx512 && limit != "avx2") return advance_avx512;
  if (__builtin_cpu_supports("avx2")) return advance_avx2;
#endif
  return advance_baseline;
}

}  // namespace kumiko::solvers::cubic
