#include "conformance/subject.hpp"

#include <cstdint>

namespace kumiko::plugin::conformance {

double Subject::value(int component, double s) const {
  if (is_advection() || traits.components <= 1) return 1.0 + 0.5 * s;
  if (component == 0) return 1.0 + 0.1 * s;
  return component + 1 == traits.components ? 2.5 + 0.1 * s : 0.1 * s;
}

double noise(int i, int j, int component) {
  // SplitMix64's finaliser.
  std::uint64_t z = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(i)) << 32) ^
                    static_cast<std::uint32_t>(j);
  z += 0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(component + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1.0;
}

}  // namespace kumiko::plugin::conformance
