// Who waits for whom within a window of base steps: the rules of stepping without barriers.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <kumiko/amr/trace.hpp>

#include "schedule/step_rules.hpp"

namespace kumiko::amr {

/// A patch takes r steps in one of the level below (2, or 1 without subcycling); n is a step's
/// number in the window, N = n / r that of the coarser level's step. Time is blended when ghosts
/// are linear or quadratic in it. The pieces of step n, and what each waits for:
///
///   advance  fills the ghosts of state n and computes state n + 1
///     (a) state n of the patch itself and of its siblings is final
///     (b) when n begins step N: the coarser patches that its ghosts come from have advanced, so
///         that their ghosts of state N are filled; else, blending in time only: they have blended
///     (c) when n ends step N: state N of its parent is final, since state n - 1 is overwritten,
///         which the parent took over before
///   blend    blending in time only, for patches that finer ones interpolate from: fills the
///            ghosts of the unrestricted state n + 1
///     (d) the patch and its siblings have advanced; the coarser patches of (b) have blended
///   finish   for patches with children, or with fluxes to correct: restricts, refluxes
///     (e) the patch has advanced and, where it has to, blended; its children have reached the time
///     (f) blending in time or with fluxes: its siblings' children have, and its siblings have
///         blended, for both read the unrestricted state or give it their fluxes
///
/// State n + 1 is final after the last piece of step n. That nobody overwrites what is still read:
/// a patch has two states, and step n overwrites state n - 1. Its readers are the siblings' step
/// n - 1, over by (a); finer patches, children of it or of its siblings, in steps up to rn - 1,
/// over by (a) and (e); the parent, by (c). Each piece waits for an earlier time, or for the same
/// time and a coarser level, or for children within the same step; so nobody waits in a circle.
///
/// The nodes are blocks: patches of a level that follow one another and take their pieces together.
/// A block waits for every block that has a patch for which one of its own waits, and for a state
/// of it until its last piece of that step; what is said of patches above then holds for blocks,
/// for each chain of patches that wait is a chain of blocks, and what a block's patches wait for
/// among themselves lies in the block's own step before, or in its piece before.
///
/// Where the mesh is shared, a rank's graph has blocks of its own patches, and for each patch of
/// another rank for which one of them waits a block of that patch alone, a *foreign* one. Its
/// pieces are taken elsewhere; that they are is told by messages, and then its successors are those
/// that they would be if it were here.
class BlockGraph {
 public:
  static constexpr std::size_t kKinds = 3;

  /// A block, and how much it waits for.
  struct alignas(64) Node {
    /// How many inputs are to come, for each kind of piece and by parity of the step; counted by
    /// DataflowSchedule, as the next three are its own.
    std::array<std::array<std::atomic<std::int32_t>, 2>, kKinds> pending;
    /// Of a foreign block: how many of the two messages are here by which a step of it ends, by
    /// parity.
    std::array<std::atomic<std::uint8_t>, 2> ends{};
    std::uint64_t done_at = 0;  ///< when its latest piece ended
    std::int32_t home = 0;
    std::array<std::array<std::int32_t, 2>, kKinds> inputs;  ///< of a piece, by parity of the step
    std::uint32_t index = 0;                                 ///< of the block within its level
    std::uint32_t first = 0;   ///< of its patches, in the level's list
    std::uint32_t end = 0;     ///< one more than the last
    std::int32_t sources = 0;  ///< coarser blocks that its ghosts come from
    std::int32_t parents = 0;  ///< blocks that have parents of its patches
    std::int32_t fed_by = 0;   ///< finer blocks that its last piece waits for
    std::uint8_t level = 0;
    bool blends = false;  ///< whether one of its patches has such pieces; so the next one
    bool finishes = false;
    bool foreign = false;  ///< whether another rank takes its pieces
  };

  static constexpr std::int32_t kEveryRank = -1;
  /// Makes it the graph of a mesh, that of the rules' plan, in memory that it has already if that
  /// is enough. \param blocks  how many, of a level's own patches: of equal parts, by home_begin()
  /// \param rank  whose graph it is; kEveryRank if one process takes all pieces. O(patches).
  template <class CountBlocks>
  void build(const Mesh<2>& mesh, const StepRules& rules, const CountBlocks& blocks,
             std::int32_t rank = kEveryRank) {
    levels_.resize(static_cast<std::size_t>(mesh.levels()));
    find_patches(mesh, rules, rank);
    for (int index = 0; index < levels(); ++index) make_nodes(index, blocks(index));
    connect(rules);
  }

  int levels() const { return static_cast<int>(levels_.size()); }
  /// The blocks of a level's own patches.
  std::span<Node> level(int index) const {
    const Level& own = levels_[static_cast<std::size_t>(index)];
    return {own.nodes.get(), own.own_blocks};
  }
  /// The foreign block of a patch; nullptr where nothing here waits for that.
  Node* foreign(int index, std::size_t slot) const {
    const Level& own = levels_[static_cast<std::size_t>(index)];
    const std::uint32_t block = own.block_of[slot];
    return block == kNoBlock || !own.nodes[block].foreign ? nullptr : &own.nodes[block];
  }
  /// The slots of a block's patches, in order.
  std::span<const std::uint32_t> slots(const Node& node) const {
    return std::span(levels_[node.level].slots).subspan(node.first, node.end - node.first);
  }
  /// Whether a patch has pieces of a kind.
  bool has(PieceKind kind, int level, std::size_t slot) const {
    return (levels_[static_cast<std::size_t>(level)].kinds[slot] & bit(kind)) != 0;
  }
  /// How many patches a level has.
  std::size_t patches(int level) const {
    return levels_[static_cast<std::size_t>(level)].kinds.size();
  }

  /// Calls arrive(node, number, kind, why) for each piece of a block that waits for one, once for
  /// each of the ways in which it does, and for what would follow the window's last step too. Those
  /// above and below come first, and last the block itself.
  template <class Arrive>
  void for_each_successor(PieceKind kind, const LevelStep& step, Node& node, Arrive&& arrive) const;
  /// Tells in two parts of a foreign block that blends and then has done all: here but for those
  /// that wait for its state n + 1 to be final,
  template <class Arrive>
  void for_each_before_end(PieceKind kind, const LevelStep& step, Node& foreign,
                           Arrive&& arrive) const;
  /// and here for these.
  template <class Arrive>
  void for_each_at_end(const LevelStep& step, Node& foreign, Arrive&& arrive) const {
    make_final(step, foreign, arrive);
  }

  /// Calls arrive() likewise for what the first step waits for: that a foreign block's state 0 is
  /// here.
  template <class Arrive>
  void for_each_first(Node& foreign, Arrive&& arrive) const {
    for (Node* const sibling : links(kSiblings, foreign)) {
      arrive(*sibling, 0, PieceKind::kAdvance, WaitCause::kSibling);
    }
  }
  /// How many foreign blocks a block waits for before its first step.
  std::int32_t foreign_siblings(const Node& node) const {
    const auto siblings = links(kSiblings, node);
    return static_cast<std::int32_t>(std::count_if(
        siblings.begin(), siblings.end(), [](const Node* sibling) { return sibling->foreign; }));
  }
  /// How many bytes the graph holds.
  std::size_t bytes() const;

 private:
  /// How others stand to a block.
  enum Relation : std::uint8_t {
    kSiblings,
    kReaders,   ///< finer blocks whose ghosts come from it
    kChildren,  ///< finer blocks of whose patches it has parents
    kFeeds      ///< coarser blocks whose last piece waits for its state
  };
  class Marks;

  /// For each node of a level, some others.
  class Links {
   public:
    void clear() { pairs_.clear(); }
    void add(std::uint32_t from, Node& to) { pairs_.emplace_back(from, &to); }
    /// Sorts what was added, for a level of so many nodes.
    void close(std::size_t nodes);
    std::span<Node* const> of(const Node& node) const {
      return {targets_.data() + begin_[node.index], targets_.data() + begin_[node.index + 1]};
    }
    std::size_t bytes() const;

   private:
    std::vector<std::pair<std::uint32_t, Node*>> pairs_;
    std::vector<std::uint32_t> begin_;
    std::vector<Node*> targets_;
  };

  static constexpr std::uint32_t kNoBlock = UINT32_MAX;
  struct Level {
    std::unique_ptr<Node[]> nodes;
    std::size_t size = 0;  ///< blocks, own ones first
    std::size_t own_blocks = 0;
    std::size_t capacity = 0;
    std::vector<std::uint32_t> slots;  ///< of own patches in order, then of foreign ones
    std::size_t own_patches = 0;
    std::vector<std::uint32_t> block_of;  ///< by slot
    std::vector<std::uint8_t> kinds;      ///< of pieces that each patch has, as bits
    std::array<Links, 4> links;           ///< by Relation

    std::uint32_t block_at(std::int32_t slot) const {
      return block_of[static_cast<std::size_t>(slot)];
    }
  };

  static constexpr std::uint8_t bit(PieceKind kind) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind));
  }
  std::span<Node> every_block(int index) const {
    const Level& own = levels_[static_cast<std::size_t>(index)];
    return {own.nodes.get(), own.size};
  }
  std::span<Node* const> links(Relation relation, const Node& node) const {
    return levels_[node.level].links[relation].of(node);
  }
  void find_patches(const Mesh<2>& mesh, const StepRules& rules, std::int32_t rank);
  void make_nodes(int level, std::size_t blocks);
  void connect(const StepRules& rules);
  void note_kinds(int level, const StepRules& rules);
  void note_pieces(int level);
  void connect_level(int level, const StepRules& rules);
  void count_inputs(Node& node, const StepClock& clock) const;

  template <class Arrive>
  void complete(const LevelStep& step, Node& node, Arrive& arrive) const;
  template <class Arrive>
  void make_final(const LevelStep& step, Node& node, Arrive& arrive) const;

  bool blends_in_time_ = false;
  std::vector<Level> levels_;
};

template <class Arrive>
void BlockGraph::for_each_successor(PieceKind kind, const LevelStep& step, Node& node,
                                    Arrive&& arrive) const {
  for_each_before_end(kind, step, node, arrive);
  const bool is_last_before_finish =
      kind == PieceKind::kBlend || (kind == PieceKind::kAdvance && !node.blends);
  if (kind == PieceKind::kFinish) make_final(step, node, arrive);
  if (is_last_before_finish) complete(step, node, arrive);
}

template <class Arrive>
void BlockGraph::for_each_before_end(PieceKind kind, const LevelStep& step, Node& node,
                                     Arrive&& arrive) const {
  const int n = step.number;
  switch (kind) {
    case PieceKind::kAdvance:
      for (Node* const reader : links(kReaders, node)) {
        arrive(*reader, step.finer_begin(), PieceKind::kAdvance, WaitCause::kCoarser);
      }
      if (blends_in_time_) {
        for (Node* const sibling : links(kSiblings, node)) {
          if (sibling->blends) arrive(*sibling, n, PieceKind::kBlend, WaitCause::kSibling);
        }
      }
      if (node.blends) arrive(node, n, PieceKind::kBlend, WaitCause::kSibling);
      return;
    case PieceKind::kBlend:
      for (Node* const reader : links(kReaders, node)) {
        for (int number = step.finer_begin(); number < step.finer_end(); ++number) {
          if (number != step.finer_begin()) {
            arrive(*reader, number, PieceKind::kAdvance, WaitCause::kCoarser);
          }
          if (reader->blends) arrive(*reader, number, PieceKind::kBlend, WaitCause::kCoarser);
        }
      }
      for (Node* const sibling : links(kSiblings, node)) {
        if (sibling->finishes) arrive(*sibling, n, PieceKind::kFinish, WaitCause::kSibling);
      }
      return;
    case PieceKind::kFinish:
      return;
  }
}

/// The block itself has done all; its state is final when finer patches have done theirs.
template <class Arrive>
void BlockGraph::complete(const LevelStep& step, Node& node, Arrive& arrive) const {
  if (!node.finishes) return make_final(step, node, arrive);
  arrive(node, step.number, PieceKind::kFinish, WaitCause::kChild);
}

/// State n + 1 is final.
template <class Arrive>
void BlockGraph::make_final(const LevelStep& step, Node& node, Arrive& arrive) const {
  const int n = step.number + 1;
  for (Node* const child : links(kChildren, node)) {
    arrive(*child, step.ratio * (n + 1) - 1, PieceKind::kAdvance, WaitCause::kParent);
  }
  if (step.ends_coarse()) {
    for (Node* const fed : links(kFeeds, node)) {
      arrive(*fed, step.coarse_number(), PieceKind::kFinish, WaitCause::kChild);
    }
  }
  for (Node* const sibling : links(kSiblings, node)) {
    arrive(*sibling, n, PieceKind::kAdvance, WaitCause::kSibling);
  }
  arrive(node, n, PieceKind::kAdvance, WaitCause::kSibling);
}

}  // namespace kumiko::amr
