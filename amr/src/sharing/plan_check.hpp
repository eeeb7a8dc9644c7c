// Compares what each rank of a shared mesh sends with what the others expect.
#pragma once

#include <span>

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/mesh.hpp>

#include "sharing/shared_reads.hpp"

namespace kumiko::amr {

/// Nobody tells another rank what will be in its messages: both ends find that from the mesh, and
/// a fault in how they do leaves somebody waiting, or reading what was not sent. This compares both
/// ends, and the meshes, by hashes of which every rank gets all. All ranks call it, with what
/// each has found. O(reads), and ranks² × levels numbers are sent: for builds that look for
/// faults. Throws std::logic_error, on all ranks the same, which names two ranks and the level.
void compare_plans(Communicator& communicator, const Mesh<2>& mesh,
                   std::span<const SharedReads> reads);

}  // namespace kumiko::amr
