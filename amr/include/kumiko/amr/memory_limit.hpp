// Refuses a mesh whose patches would take more memory than they may.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::amr {

/// A regrid asks for more memory than the run may have. The levels below the one named are those of
/// the regrid; that level and those above have lost the patches that no longer nest, and got none.
struct MemoryLimitError : std::runtime_error {
  MemoryLimitError(int on_level, std::size_t asked_for, std::size_t needed, std::size_t limit);

  int level;
  std::size_t patches;  ///< asked for on the level
  std::size_t bytes;    ///< that the patches of all levels would take
};

/// Throws MemoryLimitError when Hierarchy::memory_bytes() would exceed the limit after the level's
/// patches become `wanted` (no duplicates). Call before Hierarchy::change(). O(patches).
/// \param limit  in bytes; 0 = none
void check_memory(const Hierarchy& hierarchy, int level, const std::vector<PatchId>& wanted,
                  std::size_t limit);

/// Throws std::invalid_argument, naming the keys, when level 0 of a mesh that is still to be made
/// alone exceeds the limit or, with limit 0, the machine's memory.
void check_base_memory(const PatchShape& shape, std::size_t patches, std::size_t limit);

}  // namespace kumiko::amr
