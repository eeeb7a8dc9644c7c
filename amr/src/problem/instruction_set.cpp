#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include <kumiko/amr/instruction_set.hpp>

namespace kumiko::amr {

InstructionSet instruction_set() {
  const char* const wish = std::getenv("KUMIKO_ISA");
  const std::string_view limit = wish == nullptr || *wish == '\0' ? "avx512" : wish;
  if (limit != "baseline" && limit != "avx2" && limit != "avx512") {
    throw std::invalid_argument("KUMIKO_ISA is '" + std::string(limit) +
                                "'; it can be baseline, avx2 or avx512");
  }
#if defined(__x86_64__)
  if (limit == "baseline") return InstructionSet::kBaseline;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx512 && limit == "avx512") return InstructionSet::kAvx512;
  if (__builtin_cpu_supports("avx2")) return InstructionSet::kAvx2;
#endif
  return InstructionSet::kBaseline;
}

}  // namespace kumiko::amr
