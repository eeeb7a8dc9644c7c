#include <algorithm>
#include <optional>

#include <kumiko/amr/read_plan.hpp>

#include "plan/ghost_region.hpp"

namespace kumiko::amr {

namespace {

constexpr PointRange kInterior{0, kPatchSize, 0, kPatchSize};

/// What ghosts of a patch read.
struct GhostRead {
  PatchId source;
  std::int32_t slot;  ///< of the source
  ReadState state;
  std::size_t direction;  ///< of the ghosts
  int quadrant;           ///< of a coarser source: that which covers the ghosts' place
};

/// Says by ids what the ghosts of a patch read: visit(read).
/// \return the directions that lead out of the domain, bit d for kDirections[d]
template <class Visit>
unsigned for_each_ghost_read(const Mesh<2>& mesh, const PatchId& reader, Visit visit) {
  unsigned outside = 0;
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    const std::optional<PatchId> beside =
        mesh.base().neighbour(reader, {kDirections[d].dx, kDirections[d].dy});
    if (!beside) {
      outside |= 1U << d;
    } else if (const std::int32_t slot = mesh.find(*beside); slot >= 0) {
      visit(GhostRead{*beside, slot, ReadState::kSame, d, 0});
    } else if (const std::int32_t below = mesh.find(beside->parent()); below >= 0) {
      visit(GhostRead{beside->parent(), below, ReadState::kCoarse, d, beside->quadrant()});
    }
  }
  return outside;
}

PointRange region_of(ReadState state, std::size_t direction, int quadrant, int ghosts) {
  const GhostRegion region(kDirections[direction], ghosts);
  return state == ReadState::kSame ? region.of_sibling() : region.of_coarse(quadrant);
}

/// The entry of a region in patches of that many ghosts, whatever the source.
PlannedRead entry_of(ReadState state, std::size_t direction, int quadrant, int ghosts) {
  const int stride = kPatchSize + 2 * ghosts;
  const auto offset = [&](int i, int j) {
    return static_cast<std::uint16_t>((j + ghosts) * stride + i + ghosts);
  };
  const GhostRegion served(kDirections[direction], ghosts);
  const PointRange region = region_of(state, direction, quadrant, ghosts);
  return {-1,
          offset(region.i0, region.j0),
          offset(served.i0, served.j0),
          static_cast<std::uint8_t>(region.i1 - region.i0),
          static_cast<std::uint8_t>(region.j1 - region.j0),
          static_cast<std::uint8_t>(direction),
          static_cast<std::uint8_t>(quadrant)};
}

}  // namespace

ReadPlan::ReadPlan(int ghosts, std::int32_t owner) : ghosts_(ghosts), owner_(owner) {
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    same_[d] = entry_of(ReadState::kSame, d, 0, ghosts);
    for (int q = 0; q < 4; ++q) {
      coarse_[d][static_cast<std::size_t>(q)] = entry_of(ReadState::kCoarse, d, q, ghosts);
    }
  }
}

void ReadPlan::update(const Mesh<2>& mesh, int level) {
  const auto index = static_cast<std::size_t>(level);
  levels_.resize(std::max(levels_.size(), index + 1));
  LevelPlan& plan = levels_[index];
  const std::span<const PatchId> ids = mesh.ids(level);
  plan.patches.assign(ids.size(), {});
  plan.reads.clear();
  plan.reads.reserve(ids.size() * kDirections.size());
  for (std::size_t slot = 0; slot < ids.size(); ++slot) {
    if (is_own(mesh, level, slot)) plan_ghosts(mesh, ids[slot], plan, plan.patches[slot]);
  }
  if (level == 0) return;
  std::vector<Entry>& parents = levels_[index - 1].patches;
  for (Entry& parent : parents) parent.children.fill(-1);
  for (std::size_t slot = 0; slot < ids.size(); ++slot) {
    const std::int32_t parent = mesh.find(ids[slot].parent());
    plan.patches[slot].parent = parent;
    if (parent < 0) continue;
    parents[static_cast<std::size_t>(parent)]
        .children[static_cast<std::size_t>(ids[slot].quadrant())] = static_cast<std::int32_t>(slot);
  }
}

/// Lists the siblings' entries, then those of the level below.
void ReadPlan::plan_ghosts(const Mesh<2>& mesh, const PatchId& reader, LevelPlan& plan,
                           Entry& entry) const {
  std::array<PlannedRead, kDirections.size()> coarser;
  entry.first = static_cast<std::uint32_t>(plan.reads.size());
  const unsigned outside = for_each_ghost_read(mesh, reader, [&](const GhostRead& read) {
    if (read.state == ReadState::kSame) {
      plan.reads.push_back(same_[read.direction]);
      plan.reads.back().slot = read.slot;
      ++entry.siblings;
    } else {
      coarser[entry.coarser] = coarse_[read.direction][static_cast<std::size_t>(read.quadrant)];
      coarser[entry.coarser++].slot = read.slot;
    }
  });
  plan.reads.insert(plan.reads.end(), coarser.begin(), coarser.begin() + entry.coarser);
  entry.outside = static_cast<std::uint8_t>(outside);
}

/// Calls visit(request, slot of the source) for what own patches read of others' ones.
template <class Visit>
void ReadPlan::for_each_foreign(const Mesh<2>& mesh, Visit visit) const {
  const auto pass_on = [&](const ReadRequest& request, std::int32_t slot) {
    const int level = request.source.level;
    if (!is_own(mesh, level, static_cast<std::size_t>(slot))) visit(request, slot);
  };
  for (int level = 0; level < mesh.levels(); ++level) {
    const std::span<const PatchId> ids = mesh.ids(level);
    for (std::size_t slot = 0; slot < ids.size(); ++slot) {
      if (!is_own(mesh, level, slot)) continue;
      for_each_ghost_read(mesh, ids[slot], [&](const GhostRead& read) {
        pass_on({ids[slot], read.source,
                 region_of(read.state, read.direction, read.quadrant, ghosts_), read.state},
                read.slot);
      });
      for (const std::int32_t child : children(level, slot)) {
        if (child < 0) continue;
        const PatchId& source = mesh.ids(level + 1)[static_cast<std::size_t>(child)];
        pass_on({ids[slot], source, kInterior, ReadState::kFine}, child);
      }
    }
  }
}

std::vector<ReadRequest> ReadPlan::requests(const Mesh<2>& mesh, std::int32_t other) const {
  std::vector<ReadRequest> all;
  for_each_foreign(mesh, [&](const ReadRequest& request, std::int32_t slot) {
    const auto owners = mesh.owners(request.source.level);
    if (owners[static_cast<std::size_t>(slot)] == other) all.push_back(request);
  });
  return all;
}

std::vector<std::int32_t> ReadPlan::shadows(const Mesh<2>& mesh, int level) const {
  std::vector<std::int32_t> slots;
  for_each_foreign(mesh, [&](const ReadRequest& request, std::int32_t slot) {
    if (request.source.level == level) slots.push_back(slot);
  });
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

std::size_t ReadPlan::memory_bytes() const {
  std::size_t bytes = 0;
  for (const LevelPlan& plan : levels_) {
    bytes += plan.patches.capacity() * sizeof(Entry) + plan.reads.capacity() * sizeof(PlannedRead);
  }
  return bytes;
}

}  // namespace kumiko::amr
