// Steps all levels without barriers: a patch goes on as soon as what it needs is there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include <kumiko/runtime/entry.hpp>
#include <kumiko/runtime/task_group.hpp>

#include "schedule/block_graph.hpp"
#include "stepping/step_schedule.hpp"

namespace kumiko::amr {

/// Patches that follow one another are a block: one thread's work, which takes its pieces patch
/// after patch, and the unit of theft. Every block has counters of what its next pieces of work
/// still wait for; whoever brings the last input of a piece starts the block's thread. A block that
/// waits holds no stack; a thread goes on with what it has made ready of its own worker's blocks
/// (docs/decisions/012-dataflow.md, 028-blocks.md), which leads it up in time along a diagonal of
/// blocks. On levels that no cache holds it ends at every few steps, before the first ones of the
/// diagonal have left the cache (030-blocks-in-time.md).
/// Threads start at their block's home: of every level a worker has an equal part, by weight where
/// the solver says that patches differ in it, so that at any time all have as much to do, whatever
/// a patch of each level costs, and find its data in their caches. Idle workers steal. What waits
/// for what, and why nobody waits in a circle, stands at BlockGraph.
///
/// Inputs of step n + 1 may come before step n is taken, but never later ones: what n + 2 waits for
/// comes after the block's own state n + 1. Hence two counters for each kind of piece, by parity; a
/// counter is set for step n + 2 when the piece of step n begins.
///
/// Of a shared mesh a rank takes its own blocks. What is done here is sent to those who wait for
/// it elsewhere, before anything that it makes ready begins; a message that comes counts down the
/// blocks here as a piece done here would, whoever reads it, and nobody waits for it on a stack.
/// Between patches a worker looks for messages, if none has for some time: another rank may have
/// nothing else to do than what waits for this one's, and pieces take up to milliseconds.
class DataflowSchedule final : public StepSchedule {
 public:
  /// The backend has a runtime. \param cache  as in SimulationOptions
  DataflowSchedule(Hierarchy& hierarchy, Backend& backend, PieceRunner& pieces,
                   ShadowExchange& shadows, std::size_t cache);
  std::string_view name() const override { return "dataflow"; }
  void take(const Window& window) override;
  std::vector<std::size_t> blocks() const override;
  std::size_t bytes() const override { return graph_.bytes(); }

 private:
  using Node = BlockGraph::Node;
  struct Ready {
    Node* node;
    int number;
    PieceKind kind;
  };

  std::size_t deal_out(int level);
  void set_pending();
  void set_homes(std::span<Node> nodes, int level) const;
  void fail(std::exception_ptr what);
  void start_all(int worker);
  void start(const Ready& ready);
  void run(const Ready& ready);
  std::optional<Ready> execute(const Ready& ready);
  void take_shared();
  void read(std::span<const std::byte> text);
  void end_block(const Node& node, const LevelStep& step, PieceKind kind);
  std::uint64_t take_piece(PieceKind kind, const LevelStep& step, const Node& node);
  void look_for_messages(std::uint64_t now);
  bool arrive(const Ready& ready, const Node& from, std::uint64_t done_at, int worker,
              WaitCause cause);

  std::size_t cache_;
  BlockGraph graph_;                ///< of the latest window
  std::vector<int> steps_at_once_;  ///< by level: those that a block may take in a row
  const Window* window_ = nullptr;
  runtime::TaskGroup* group_ = nullptr;
  std::atomic<std::size_t> blocks_left_ = 0;  ///< own ones that have not ended the window
  std::atomic<bool> is_over_ = false;         ///< whether somebody has used the token
  runtime::Token<bool> over_;                 ///< when all blocks here have, or one could not
  std::uint64_t look_every_ = 0;              ///< ticks, for messages
  std::atomic<std::uint64_t> looked_at_ = 0;  ///< ticks; a hint
};

}  // namespace kumiko::amr
