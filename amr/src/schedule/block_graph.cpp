#include "schedule/block_graph.hpp"

#include <algorithm>
#include <numeric>

#include <kumiko/amr/placement.hpp>

namespace kumiko::amr {

/// Which of a level's blocks a block has met.
class BlockGraph::Marks {
 public:
  explicit Marks(std::size_t blocks) : by_(blocks, kNobody) {}

  /// \return whether `by` had not met it yet; of several who mark, one comes after the other
  bool mark(std::uint32_t block, std::uint32_t by) { return std::exchange(by_[block], by) != by; }

 private:
  static constexpr std::uint32_t kNobody = UINT32_MAX;
  std::vector<std::uint32_t> by_;
};

void BlockGraph::connect(const StepRules& rules) {
  blends_in_time_ = rules.blends_in_time();
  for (int index = 0; index < levels(); ++index) note_kinds(index, rules);
  for (int index = 0; index < levels(); ++index) {
    note_pieces(index);
    connect_level(index, rules);
  }
  for (Level& own : levels_) {
    for (Links& links : own.links) links.close(own.size);
  }
  for (int index = 0; index < levels(); ++index) {
    for (Node& node : level(index)) count_inputs(node, rules.clock());
  }
}

std::size_t BlockGraph::bytes() const {
  std::size_t bytes = 0;
  for (const Level& own : levels_) {
    bytes += own.capacity * sizeof(Node) + own.kinds.capacity() +
             (own.block_of.capacity() + own.slots.capacity()) * sizeof(std::uint32_t);
    for (const Links& links : own.links) bytes += links.bytes();
  }
  return bytes;
}

void BlockGraph::Links::close(std::size_t nodes) {
  begin_.assign(nodes + 1, 0);
  for (const auto& [from, to] : pairs_) ++begin_[from];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  targets_.resize(pairs_.size());
  // Counts each node down from its end to its begin.
  for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
    targets_[--begin_[pair->first]] = pair->second;
  }
}

std::size_t BlockGraph::Links::bytes() const {
  return pairs_.capacity() * sizeof(pairs_.front()) + begin_.capacity() * sizeof(std::uint32_t) +
         targets_.capacity() * sizeof(void*);
}

/// Lists the patches of each level that are the rank's, then those for which these wait.
void BlockGraph::find_patches(const Mesh<2>& mesh, const StepRules& rules, std::int32_t rank) {
  const ReadPlan& plan = rules.plan();
  const auto is_own = [&](int level, std::size_t slot) {
    return rank == kEveryRank || mesh.ranks(level)[slot] == rank;
  };
  for (int index = 0; index < levels(); ++index) {
    Level& own = levels_[static_cast<std::size_t>(index)];
    own.kinds.assign(mesh.size(index), bit(PieceKind::kAdvance));
    own.block_of.assign(mesh.size(index), kNoBlock);
    own.slots.clear();
    for (std::size_t slot = 0; slot < mesh.size(index); ++slot) {
      if (is_own(index, slot)) own.slots.push_back(static_cast<std::uint32_t>(slot));
    }
    own.own_patches = own.slots.size();
  }
  if (rank == kEveryRank) return;
  // A patch that is listed has a block of whatever number until make_nodes() gives it its own.
  const auto list = [&](int level, std::int32_t slot) {
    if (slot < 0) return;
    const auto at = static_cast<std::size_t>(slot);
    Level& of = levels_[static_cast<std::size_t>(level)];
    if (is_own(level, at) || of.block_of[at] != kNoBlock) return;
    of.block_of[at] = 0;
    of.slots.push_back(static_cast<std::uint32_t>(slot));
  };
  const auto list_children = [&](int level, std::size_t slot) {
    for (const std::int32_t child : plan.children(level, slot)) list(level + 1, child);
  };
  for (int index = 0; index < levels(); ++index) {
    for (std::size_t at = 0; at < levels_[static_cast<std::size_t>(index)].own_patches; ++at) {
      const std::size_t slot = levels_[static_cast<std::size_t>(index)].slots[at];
      const PatchReads reads = plan.of(index, slot);
      for (const PlannedRead& read : reads.siblings) {
        list(index, read.slot);
        if (rules.reads_siblings_children()) {
          list_children(index, static_cast<std::size_t>(read.slot));
        }
      }
      for (const PlannedRead& read : reads.coarser) list(index - 1, read.slot);
      if (index > 0) list(index - 1, plan.parent(index, slot));
      list_children(index, slot);
    }
  }
}

void BlockGraph::make_nodes(int index, std::size_t blocks) {
  Level& own = levels_[static_cast<std::size_t>(index)];
  own.own_blocks = blocks;
  own.size = blocks + own.slots.size() - own.own_patches;
  if (own.size > own.capacity) {
    own.nodes = std::make_unique<Node[]>(own.size);
    own.capacity = own.size;
  }
  const auto begin_of = [&](std::size_t block) {
    if (block > blocks) return static_cast<std::uint32_t>(own.own_patches + block - blocks);
    if (blocks == 0) return static_cast<std::uint32_t>(own.own_patches);
    const std::size_t begin =
        home_begin(static_cast<int>(block), own.own_patches, static_cast<int>(blocks));
    return static_cast<std::uint32_t>(begin);
  };
  for (std::uint32_t at = 0; at < own.size; ++at) {
    Node& node = own.nodes[at];
    node.index = at;
    node.first = begin_of(at);
    node.end = begin_of(std::size_t{at} + 1);
    node.level = static_cast<std::uint8_t>(index);
    node.foreign = at >= blocks;
    // relaxed: messages are read later.
    for (auto& of_parity : node.ends) of_parity.store(0, std::memory_order_relaxed);
    node.sources = node.parents = node.fed_by = 0;
    for (const std::uint32_t slot : slots(node)) own.block_of[slot] = at;
  }
  for (Links& links : own.links) links.clear();
}

/// Says which of a level's patches have last pieces, and which of the level below are blended.
void BlockGraph::note_kinds(int index, const StepRules& rules) {
  std::vector<std::uint8_t>& kinds = levels_[static_cast<std::size_t>(index)].kinds;
  for (std::size_t slot = 0; slot < kinds.size(); ++slot) {
    if (rules.finishes(index, slot)) kinds[slot] |= bit(PieceKind::kFinish);
    if (!blends_in_time_) continue;
    for (const PlannedRead& read : rules.plan().of(index, slot).coarser) {
      levels_[static_cast<std::size_t>(index) - 1].kinds[static_cast<std::size_t>(read.slot)] |=
          bit(PieceKind::kBlend);
    }
  }
}

/// Links a level's blocks to those beside and below them, but foreign ones to each other.
void BlockGraph::connect_level(int index, const StepRules& rules) {
  const ReadPlan& plan = rules.plan();
  Level& own = levels_[static_cast<std::size_t>(index)];
  Level& below = levels_[static_cast<std::size_t>(std::max(index - 1, 0))];
  Marks siblings(own.size);
  Marks sources(below.size);
  Marks parents(below.size);
  Marks feeds(below.size);
  for (Node& node : every_block(index)) {
    siblings.mark(node.index, node.index);
    const auto is_new = [&](const Level& of, std::uint32_t block, Marks& marks) {
      if (block == kNoBlock || (node.foreign && of.nodes[block].foreign)) return false;
      return marks.mark(block, node.index);
    };
    const auto feed = [&](std::int32_t slot) {
      if (!has(PieceKind::kFinish, index - 1, static_cast<std::size_t>(slot))) return;
      const std::uint32_t fed = below.block_at(slot);
      if (!is_new(below, fed, feeds)) return;
      own.links[kFeeds].add(node.index, below.nodes[fed]);
      ++below.nodes[fed].fed_by;
    };
    for (const std::uint32_t slot : slots(node)) {
      const PatchReads reads = plan.of(index, slot);
      for (const PlannedRead& read : reads.siblings) {
        const std::uint32_t sibling = own.block_at(read.slot);
        if (!is_new(own, sibling, siblings)) continue;
        own.links[kSiblings].add(node.index, own.nodes[sibling]);
      }
      for (const PlannedRead& read : reads.coarser) {
        const std::uint32_t source = below.block_at(read.slot);
        if (!is_new(below, source, sources)) continue;
        below.links[kReaders].add(source, node);
        ++node.sources;
      }
      const std::int32_t parent_slot = plan.parent(index, slot);
      if (parent_slot < 0) continue;
      const std::uint32_t parent = below.block_at(parent_slot);
      if (is_new(below, parent, parents)) {
        below.links[kChildren].add(parent, node);
        ++node.parents;
      }
      feed(parent_slot);
      if (!rules.reads_siblings_children()) continue;
      const auto beside = plan.of(index - 1, static_cast<std::size_t>(parent_slot)).siblings;
      for (const PlannedRead& read : beside) feed(read.slot);
    }
  }
}

/// Says which pieces a level's blocks have.
void BlockGraph::note_pieces(int index) {
  for (Node& node : every_block(index)) {
    std::uint8_t kinds = 0;
    for (const std::uint32_t slot : slots(node)) {
      kinds |= levels_[static_cast<std::size_t>(index)].kinds[slot];
    }
    node.blends = (kinds & bit(PieceKind::kBlend)) != 0;
    node.finishes = (kinds & bit(PieceKind::kFinish)) != 0;
  }
}

/// Says how many inputs the pieces of a block have: as often as for_each_successor() calls.
void BlockGraph::count_inputs(Node& node, const StepClock& clock) const {
  const auto advance = static_cast<std::size_t>(PieceKind::kAdvance);
  const auto blend = static_cast<std::size_t>(PieceKind::kBlend);
  const auto finish = static_cast<std::size_t>(PieceKind::kFinish);
  const auto siblings = links(kSiblings, node);
  const auto beside = static_cast<std::int32_t>(siblings.size());
  const auto blending = static_cast<std::int32_t>(std::count_if(
      siblings.begin(), siblings.end(), [](const Node* sibling) { return sibling->blends; }));
  for (std::size_t parity = 0; parity < 2; ++parity) {
    const LevelStep step = clock.step(0, node.level, static_cast<int>(parity));
    std::int32_t advancing = beside + 1;
    if (!step.second_half() || blends_in_time_) advancing += node.sources;
    if (step.ends_coarse()) advancing += node.parents;
    node.inputs[advance][parity] = advancing;
    node.inputs[blend][parity] = beside + 1 + node.sources;
    node.inputs[finish][parity] = 1 + node.fed_by + blending;
  }
}

}  // namespace kumiko::amr
