// Moves patches between the ranks of a shared mesh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/partition.hpp>

#include "data/patch_motion.hpp"
#include "data/patch_table.hpp"
#include "sharing/mailbox.hpp"

namespace kumiko::amr {

/// Gives the patches other ranks, and the points of their states `now` and their motion to the new
/// ones; the rest of those that came is uninitialised. All ranks call it with the same
/// ranks, between steps. Suspends. Shadows go.
/// \return of each level the slots of the patches that came to this rank, in order
std::vector<std::vector<std::size_t>> move_patches(Hierarchy& hierarchy, Mailbox& mailbox,
                                                   const ByPatch<std::int32_t>& ranks,
                                                   PatchTable<PatchMotion>& motion);

}  // namespace kumiko::amr
