// Refuses a mesh whose patches would exceed the memory limit.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::amr {

/// A regrid needs more memory than the limit. Levels below the named level have been regridded; on
/// that level and those above, patches that no longer nest have been removed and none were added.
struct MemoryLimitError : std::runtime_error {
  MemoryLimitError(int on_level, std::size_t asked_for, std::size_t needed, std::size_t limit);

  int level;
  std::size_t patches;  ///< patches wanted on the level
  std::size_t bytes;    ///< bytes that the patches of all levels would need
};

/// Throws MemoryLimitError when Hierarchy::memory_use() would exceed the limit after the level's
/// patches become `wanted` (no duplicates). Call before Hierarchy::change(). O(patches).
/// \param limit  in bytes; 0 = none
void check_memory(const Hierarchy& hierarchy, int level, const std::vector<PatchId>& wanted,
                  std::size_t limit);

/// For a mesh that has not been made yet: throws std::invalid_argument, naming the keys, if level 0
/// alone exceeds the limit or, with limit 0, the machine's memory.
void check_base_memory(const PatchShape& shape, std::size_t patches, std::size_t limit);

/// Bytes that new programs can use without others being swapped out, as the system estimates them;
/// the machine's memory if it does not. A container may be allowed less.
std::size_t available_memory();

}  // namespace kumiko::amr
