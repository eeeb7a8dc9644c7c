// Steps all levels without barriers: a patch goes on as soon as what it needs is there.
#pragma once

#include <cstddef>
#include <span>

#include <kumiko/runtime/task_group.hpp>

#include "schedule/patch_graph.hpp"
#include "stepping/step_schedule.hpp"

namespace kumiko::amr {

/// Every patch has counters of what its next pieces of work still wait for; whoever brings the last
/// input of a piece starts the patch's thread. A patch that waits holds no stack; a thread goes on
/// with what it has made ready of its own worker's patches (docs/decisions/012-dataflow.md).
/// Threads start at their patch's home: of every level a worker has an equal part, by weight where
/// the solver says that patches differ in it, so that at any
/// time all have as much to do, whatever a patch of each level costs, and find its data in their
/// caches. Idle workers steal. What waits for what, and why nobody waits in a circle, stands at
/// PatchGraph.
///
/// Inputs of step n + 1 may come before step n is taken, but never later ones: what n + 2 waits for
/// comes after the patch's own state n + 1. Hence two counters for each kind of piece, by parity; a
/// counter is set for step n + 2 when the piece of step n begins.
class DataflowSchedule final : public StepSchedule {
 public:
  /// The backend has a runtime.
  using StepSchedule::StepSchedule;
  std::string_view name() const override { return "dataflow"; }
  void take(const Window& window) override;
  std::size_t bytes() const override { return graph_.bytes(); }

 private:
  using Node = PatchGraph::Node;
  struct Ready {
    Node* node;
    int number;
    PieceKind kind;
  };
  /// The work list of pieces that a piece of work has made ready.
  class ReadyList;

  void set_pending();
  void set_homes(std::span<Node> nodes, int level) const;
  void start(int worker);
  void run(Ready ready);
  void execute(const Ready& ready, ReadyList& made);
  void arrive(const Ready& ready, const Piece& from, std::uint64_t done_at, WaitCause cause,
              ReadyList& made);
  Piece piece_of(const Ready& ready) const {
    return {ready.kind, window_->step(ready.node->level, ready.number), ready.node->slot};
  }

  PatchGraph graph_;  ///< of the latest window
  const Window* window_ = nullptr;
  runtime::TaskGroup* group_ = nullptr;
};

}  // namespace kumiko::amr
