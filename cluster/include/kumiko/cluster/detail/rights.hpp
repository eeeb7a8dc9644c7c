// Access rights to a region of a rank's memory, and their check.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace kumiko::cluster {

/// Access rights of other ranks to a region.
enum class Rights : std::uint8_t { kRead = 1, kWrite = 2, kReadWrite = 3 };

namespace detail {

/// \throws std::logic_error without the right, std::out_of_range for bytes that the region lacks
/// \param region  its size in bytes
inline void check_access(Rights rights, Rights right, std::uint64_t region, std::uint64_t offset,
                         std::uint64_t size) {
  if ((static_cast<unsigned>(rights) & static_cast<unsigned>(right)) == 0) {
    throw std::logic_error(right == Rights::kRead
                               ? "the region must not be read; expose it with Rights::kRead"
                               : "the region must not be written; expose it with Rights::kWrite");
  }
  if (offset > region || size > region - offset) {
    throw std::out_of_range("bytes " + std::to_string(offset) + " to " +
                            std::to_string(offset + size) + " of a region of " +
                            std::to_string(region) + " bytes");
  }
}

}  // namespace detail

}  // namespace kumiko::cluster
