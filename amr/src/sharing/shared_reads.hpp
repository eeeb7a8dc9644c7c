// The reads of other ranks' patches on a shared mesh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/partition.hpp>

#include "schedule/step_rules.hpp"

namespace kumiko::amr {

/// The reads of a patch by the patches of another rank, in all roles.
struct SharedRead {
  std::uint32_t slot = 0;     ///< of the patch that is read
  std::int32_t rank = 0;      ///< the other one: who reads, or whose the patch is
  std::uint8_t siblings = 0;  ///< bit d: it lies in direction d of a reader
  bool blending = false;      ///< one of these fills ghosts between its own times
  bool coarse = false;        ///< ghosts of finer patches come from it
  bool fine = false;          ///< coarser patches take over its points or fluxes
  bool parent = false;        ///< children wait for its state, and read nothing

  friend bool operator==(const SharedRead&, const SharedRead&) = default;
};

/// The reads of a level's patches between one rank and the others, in the order of slots. Both ends
/// compute equal lists, since each knows the mesh.
class SharedReads {
 public:
  /// The reads of this rank's patches by others.
  std::span<const SharedRead> outgoing() const { return outgoing_; }
  std::span<const SharedRead> outgoing(std::size_t slot) const {
    return std::span(outgoing_).subspan(begin_[slot], begin_[slot + 1] - begin_[slot]);
  }
  /// The reads of others' patches by this rank's.
  std::span<const SharedRead> incoming() const { return incoming_; }
  /// That of one patch; nullptr if none of this rank's reads it. O(log of their number).
  const SharedRead* incoming(std::size_t slot) const;

  /// The ranks to whom, and from whom, something goes.
  std::vector<std::int32_t> receivers() const;
  std::vector<std::int32_t> senders() const;

 private:
  friend class SharedReadsFinder;

  void close(std::size_t patches);

  std::vector<SharedRead> outgoing_;
  std::vector<SharedRead> incoming_;
  std::vector<std::uint32_t> begin_;  ///< in outgoing_, by slot
};

/// Of each level of a mesh what its patches are read for: ghosts of the level and of the one above,
/// and all that a step takes over. O(patches).
/// \param blends  whether each patch is interpolated from in time
std::vector<SharedReads> shared_reads(const Mesh<2>& mesh, const StepRules& rules,
                                      std::int32_t rank, const ByPatch<char>& blends);

/// Of each level what patches of one level read for their ghosts. The plan need not know the levels
/// above. O(patches of the level).
std::vector<SharedReads> shared_ghost_reads(const Mesh<2>& mesh, const ReadPlan& plan,
                                            std::int32_t rank, int level);

}  // namespace kumiko::amr
