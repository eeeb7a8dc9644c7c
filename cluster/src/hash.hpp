// A hash that is the same in all processes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kumiko::cluster::detail {

inline constexpr std::uint64_t kHashBegin = 0xcbf29ce484222325U;

/// FNV-1a.
inline std::uint64_t hashed(std::uint64_t hash, const void* bytes, std::size_t size) noexcept {
  for (const auto* at = static_cast<const unsigned char*>(bytes); size-- > 0; ++at) {
    hash = (hash ^ *at) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace kumiko::cluster::detail
