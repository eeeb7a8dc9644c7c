// Steps all levels without barriers: a patch goes on as soon as what it needs is there.
#pragma once

#include <cstddef>
#include <span>

#include <kumiko/amr/backend.hpp>
#include <kumiko/runtime/task_group.hpp>

#include "observation/trace_recorder.hpp"
#include "schedule/patch_graph.hpp"
#include "stepping/piece_runner.hpp"

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
class DataflowStepper {
 public:
  DataflowStepper(PatchGraph& graph, const PatchStepper& patches, Backend& backend,
                  PieceRunner& pieces, WorkLedger& ledger, TraceRecorder& recorder)
      : graph_(graph),
        patches_(patches),
        clock_(patches.rules().clock()),
        backend_(backend),
        pieces_(pieces),
        ledger_(ledger),
        recorder_(recorder) {}

  /// Takes all levels through base steps first .. first + count - 1; in the backend's driver. The
  /// graph is that of the mesh. When a step fails, the PieceRunner keeps the failure, and later
  /// base steps are not computed.
  void advance(int first, int count);

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
  void arrive(const Ready& ready, const Ready& from, WaitCause cause, ReadyList& made);
  void note_wait(const Ready& ready, const Ready& from, WaitCause cause);

  PatchGraph& graph_;
  const PatchStepper& patches_;
  const StepClock& clock_;
  Backend& backend_;
  PieceRunner& pieces_;
  WorkLedger& ledger_;
  TraceRecorder& recorder_;
  runtime::TaskGroup* group_ = nullptr;
  int first_ = 0;
  int count_ = 0;
};

}  // namespace kumiko::amr
