// Who waits for whom within a window of base steps: the rules of stepping without barriers.
#pragma once

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
class PatchGraph {
 public:
  static constexpr std::size_t kKinds = 3;

  /// A patch, who waits for it, and how many it waits for itself.
  struct alignas(64) Node {
    /// How many inputs are to come, for each kind of piece and by parity of the step; counted by
    /// DataflowSchedule.
    std::array<std::array<std::atomic<std::int32_t>, 2>, kKinds> pending;
    std::uint64_t done_at = 0;  ///< when its latest piece ended; DataflowSchedule's
    Patch* patch = nullptr;     ///< while the mesh is the one that the graph was made for
    std::uint32_t slot = 0;
    std::int32_t home = 0;  ///< DataflowSchedule's
    /// For each kind, which one of the level's patches it is that have such pieces.
    std::array<std::uint32_t, kKinds> rank;
    /// Finer patches whose ghosts come from it, one for each direction.
    std::uint32_t readers_begin = 0;
    std::uint32_t readers_end = 0;
    std::array<std::array<std::int8_t, 2>, kKinds> inputs;  ///< of a piece, by parity of the step
    std::int8_t coarse_edges = 0;
    std::uint8_t level = 0;
    std::uint8_t sibling_count = 0;
    std::uint8_t child_count = 0;
    bool blends = false;
    bool finishes = false;
    Node* parent = nullptr;
    std::array<Node*, 8> siblings;
    std::array<Node*, 4> children;

    /// Whether it has pieces of a kind.
    bool has(PieceKind kind) const {
      return kind == PieceKind::kAdvance || (kind == PieceKind::kBlend ? blends : finishes);
    }
  };

  PatchGraph() = default;

  /// Makes it the graph of the mesh as it is, in memory that it has already if that is enough.
  /// O(patches).
  void build(Hierarchy& hierarchy, const StepRules& rules);

  int levels() const { return static_cast<int>(levels_.size()); }
  std::span<Node> level(int index) const {
    const Nodes& nodes = levels_[static_cast<std::size_t>(index)];
    return {nodes.all.get(), nodes.size};
  }

  /// Calls arrive(node, number, kind, why) for each piece that waits for one, once for each of the
  /// ways in which it does, and for what would follow the window's last step too. Those above and
  /// below come first, and last the patch itself.
  template <class Arrive>
  void for_each_successor(PieceKind kind, const LevelStep& step, Node& node, Arrive&& arrive) const;

  /// How many bytes the graph holds.
  std::size_t bytes() const;

 private:
  struct Nodes {
    std::unique_ptr<Node[]> all;
    std::size_t size = 0;
    std::size_t capacity = 0;
  };

  void make_nodes(int level, Hierarchy& hierarchy, const StepRules& rules);
  void connect(int level, const ReadPlan& plan);
  void connect_readers(int level, const ReadPlan& plan);
  void count_inputs(Node& node, const StepClock& clock) const;

  template <class Arrive>
  void complete(const LevelStep& step, Node& node, Arrive& arrive) const;
  template <class Arrive>
  void make_final(const LevelStep& step, Node& node, Arrive& arrive) const;

  bool blends_in_time_ = false;
  bool reads_siblings_children_ = false;
  std::vector<Nodes> levels_;
  std::vector<Node*> readers_;
};

template <class Arrive>
void PatchGraph::for_each_successor(PieceKind kind, const LevelStep& step, Node& node,
                                    Arrive&& arrive) const {
  const int n = step.number;
  const std::span readers(readers_.data() + node.readers_begin, readers_.data() + node.readers_end);
  const std::span siblings(node.siblings.data(), node.sibling_count);
  switch (kind) {
    case PieceKind::kAdvance:
      for (Node* const reader : readers) {
        arrive(*reader, step.finer_begin(), PieceKind::kAdvance, WaitCause::kCoarser);
      }
      if (blends_in_time_) {
        for (Node* const sibling : siblings) {
          if (sibling->blends) arrive(*sibling, n, PieceKind::kBlend, WaitCause::kSibling);
        }
      }
      if (!node.blends) return complete(step, node, arrive);
      return arrive(node, n, PieceKind::kBlend, WaitCause::kSibling);
    case PieceKind::kBlend:
      for (Node* const reader : readers) {
        for (int number = step.finer_begin(); number < step.finer_end(); ++number) {
          if (number != step.finer_begin()) {
            arrive(*reader, number, PieceKind::kAdvance, WaitCause::kCoarser);
          }
          if (reader->blends) arrive(*reader, number, PieceKind::kBlend, WaitCause::kCoarser);
        }
      }
      for (Node* const sibling : siblings) {
        if (sibling->finishes) arrive(*sibling, n, PieceKind::kFinish, WaitCause::kSibling);
      }
      return complete(step, node, arrive);
    case PieceKind::kFinish:
      return make_final(step, node, arrive);
  }
}

/// The patch itself has done all; its state is final when finer patches have done theirs.
template <class Arrive>
void PatchGraph::complete(const LevelStep& step, Node& node, Arrive& arrive) const {
  if (!node.finishes) return make_final(step, node, arrive);
  arrive(node, step.number, PieceKind::kFinish, WaitCause::kChild);
}

/// State n + 1 is final.
template <class Arrive>
void PatchGraph::make_final(const LevelStep& step, Node& node, Arrive& arrive) const {
  const int n = step.number + 1;
  for (std::size_t child = 0; child < node.child_count; ++child) {
    arrive(*node.children[child], step.ratio * (n + 1) - 1, PieceKind::kAdvance,
           WaitCause::kParent);
  }
  if (step.ends_coarse()) {
    const Node& parent = *node.parent;
    const int coarse = step.coarse_number();
    arrive(*node.parent, coarse, PieceKind::kFinish, WaitCause::kChild);
    if (reads_siblings_children_) {
      for (std::size_t d = 0; d < parent.sibling_count; ++d) {
        Node& other = *parent.siblings[d];
        if (other.finishes) arrive(other, coarse, PieceKind::kFinish, WaitCause::kChild);
      }
    }
  }
  for (std::size_t d = 0; d < node.sibling_count; ++d) {
    arrive(*node.siblings[d], n, PieceKind::kAdvance, WaitCause::kSibling);
  }
  arrive(node, n, PieceKind::kAdvance, WaitCause::kSibling);
}

}  // namespace kumiko::amr
