#include <algorithm>
#include <bit>
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

ReadPlan::ReadPlan(int ghosts) : ghosts_(ghosts) {
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    same_[d] = entry_of(ReadState::kSame, d, 0, ghosts);
    for (int q = 0; q < 4; ++q) {
      coarse_[d][static_cast<std::size_t>(q)] = entry_of(ReadState::kCoarse, d, q, ghosts);
    }
  }
}

bool ReadPlan::Entry::is_whole() const {
  return siblings + coarser + std::popcount(outside) == static_cast<int>(kMostReads);
}

void ReadPlan::update(const Mesh<2>& mesh, int level, const LevelDifference& changes) {
  const auto index = static_cast<std::size_t>(level);
  levels_.resize(std::max(levels_.size(), index + 1));
  LevelPlan& plan = levels_[index];
  forget_children(level, changes);
  std::swap(plan, before_);
  plan.patches.resize(mesh.size(level));
  plan.reads.resize(plan.patches.size() * kMostReads);
  NewSlots now(before_.patches.size(), -1);
  for (const auto& [old, slot] : changes.kept) now[old] = static_cast<std::int32_t>(slot);
  for (const std::size_t slot : changes.created) add_patch(mesh, level, slot);
  for (const auto& [old, slot] : changes.kept) keep_patch(mesh, level, slot, old, now);
  for (const std::size_t slot : changes.created) {
    for (const PlannedRead& read : of(level, slot).siblings) {
      const auto sibling = static_cast<std::size_t>(read.slot);
      if (!reads(level, sibling, slot)) plan_ghosts(mesh, level, sibling);
    }
  }
  if (index + 1 < levels_.size()) follow_below(mesh, level + 1, now);
}

/// Takes the patches of a level that went from their parents.
void ReadPlan::forget_children(int level, const LevelDifference& changes) {
  const std::vector<Entry>& patches = levels_[static_cast<std::size_t>(level)].patches;
  for (const std::size_t old : changes.removed) {
    const std::int32_t parent = patches[old].parent;
    if (parent < 0) continue;
    auto& children = levels_[static_cast<std::size_t>(level) - 1]
                         .patches[static_cast<std::size_t>(parent)]
                         .children;
    std::replace(children.begin(), children.end(), static_cast<std::int32_t>(old), -1);
  }
}

void ReadPlan::add_patch(const Mesh<2>& mesh, int level, std::size_t slot) {
  Entry& entry = levels_[static_cast<std::size_t>(level)].patches[slot];
  const PatchId& id = mesh.ids(level)[slot];
  entry.children = mesh.children(id);
  entry.parent = level == 0 ? -1 : mesh.find(id.parent());
  adopt(mesh, level, slot);
  plan_ghosts(mesh, level, slot);
}

/// Whether a patch has a sibling's entry.
bool ReadPlan::reads(int level, std::size_t slot, std::size_t sibling) const {
  const auto siblings = of(level, slot).siblings;
  return std::any_of(siblings.begin(), siblings.end(), [&](const PlannedRead& read) {
    return static_cast<std::size_t>(read.slot) == sibling;
  });
}

/// Takes over the entries of a patch, with the slots that its siblings have now.
void ReadPlan::keep_patch(const Mesh<2>& mesh, int level, std::size_t slot, std::size_t before,
                          const NewSlots& now) {
  LevelPlan& plan = levels_[static_cast<std::size_t>(level)];
  Entry& entry = plan.patches[slot] = before_.patches[before];
  adopt(mesh, level, slot);
  const PlannedRead* const from = before_.reads.data() + before * kMostReads;
  PlannedRead* const to = plan.reads.data() + slot * kMostReads;
  std::copy(from, from + kMostReads, to);
  bool stays = entry.is_whole();
  for (int read = 0; read < entry.siblings; ++read) {
    to[read].slot = now[static_cast<std::size_t>(to[read].slot)];
    stays = stays && to[read].slot >= 0;
  }
  if (!stays) plan_ghosts(mesh, level, slot);
}

/// Makes a patch its parent's child.
void ReadPlan::adopt(const Mesh<2>& mesh, int level, std::size_t slot) {
  const std::int32_t parent = entry(level, slot).parent;
  if (parent < 0) return;
  levels_[static_cast<std::size_t>(level) - 1]
      .patches[static_cast<std::size_t>(parent)]
      .children[static_cast<std::size_t>(mesh.ids(level)[slot].quadrant())] =
      static_cast<std::int32_t>(slot);
}

/// Gives the patches of a level the slots that those of the level below have now.
void ReadPlan::follow_below(const Mesh<2>& mesh, int level, const NewSlots& now) {
  LevelPlan& plan = levels_[static_cast<std::size_t>(level)];
  for (std::size_t slot = 0; slot < plan.patches.size(); ++slot) {
    Entry& entry = plan.patches[slot];
    entry.parent = entry.parent < 0 ? mesh.find(mesh.ids(level)[slot].parent())
                                    : now[static_cast<std::size_t>(entry.parent)];
    bool stays = entry.is_whole();
    PlannedRead* const coarser = plan.reads.data() + slot * kMostReads + entry.siblings;
    for (int read = 0; read < entry.coarser; ++read) {
      coarser[read].slot = now[static_cast<std::size_t>(coarser[read].slot)];
      stays = stays && coarser[read].slot >= 0;
    }
    if (!stays) plan_ghosts(mesh, level, slot);
  }
}

/// Lists the siblings' entries, then those of the level below.
void ReadPlan::plan_ghosts(const Mesh<2>& mesh, int level, std::size_t slot) {
  LevelPlan& plan = levels_[static_cast<std::size_t>(level)];
  Entry& entry = plan.patches[slot];
  entry.siblings = entry.coarser = entry.outside = 0;
  PlannedRead* const to = plan.reads.data() + slot * kMostReads;
  std::array<PlannedRead, kMostReads> coarser;
  const unsigned outside =
      for_each_ghost_read(mesh, mesh.ids(level)[slot], [&](const GhostRead& read) {
        if (read.state == ReadState::kSame) {
          to[entry.siblings] = same_[read.direction];
          to[entry.siblings++].slot = read.slot;
        } else {
          coarser[entry.coarser] = coarse_[read.direction][static_cast<std::size_t>(read.quadrant)];
          coarser[entry.coarser++].slot = read.slot;
        }
      });
  std::copy(coarser.begin(), coarser.begin() + entry.coarser, to + entry.siblings);
  entry.outside = static_cast<std::uint8_t>(outside);
}

std::size_t ReadPlan::memory_bytes() const {
  const auto bytes_of = [](const LevelPlan& plan) {
    return plan.patches.capacity() * sizeof(Entry) + plan.reads.capacity() * sizeof(PlannedRead);
  };
  std::size_t bytes = bytes_of(before_);
  for (const LevelPlan& plan : levels_) bytes += bytes_of(plan);
  return bytes;
}

}  // namespace kumiko::amr
