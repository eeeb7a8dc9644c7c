// A hash of values to the bit, which tests store to compare machines that are not at hand together.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace kumiko::test {

/// FNV-1a of the values' bits, low byte first.
inline std::uint64_t hash_of_bits(std::span<const double> values) {
  std::uint64_t hash = 14695981039346656037U;
  for (const double value : values) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    for (int byte = 0; byte < 8; ++byte) {
      hash = (hash ^ ((bits >> (8 * byte)) & 0xFFU)) * 1099511628211U;
    }
  }
  return hash;
}

}  // namespace kumiko::test
