// Body of the kernel; included by one source file per instruction set, which defines
// KUMIKO_KERNEL_NAME. It uses no library code and nothing of it is seen by other files: an
// inline function shared with other files could end up in them with instructions that their
// processor lacks.
#include <cstdint>

#include "problem/finite_kernel.hpp"

namespace kumiko::amr {

bool KUMIKO_KERNEL_NAME(const double* values, std::size_t count) {
  // The exponent's bits, and the lowest of them. All of them are set in infinities and NaN only:
  // one more then carries into the sign, which the mask has cleared.
  constexpr std::uint64_t kExponent = 0x7FF0'0000'0000'0000;
  constexpr std::uint64_t kLowestOfExponent = 0x0010'0000'0000'0000;
  std::uint64_t carries = 0;
  for (std::size_t at = 0; at < count; ++at) {
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, values + at, sizeof bits);
    carries |= (bits & kExponent) + kLowestOfExponent;
  }
  return (carries >> 63) == 0;
}

}  // namespace kumiko::amr
