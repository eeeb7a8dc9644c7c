// The tasks of a stretch by dataflow: what blocks of patches do in each phase, and who waits for
// whom.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <kumiko/amr/trace.hpp>

namespace kumiko::model {

/// Dealt out for a number of workers as DataflowSchedule does it, from a trace whose edges are
/// between patches. What a block makes ready within its own step leaves with the task that makes
/// it; what waits for its state, with its last task of the step, as amr::BlockGraph has it.
class BlockTasks {
 public:
  /// The pieces of a block in one phase.
  struct Task {
    std::uint32_t begin;  ///< its pieces
    std::uint32_t end;
    std::uint32_t phase;
    int home;                         ///< a worker
    std::uint32_t inputs = 0;         ///< how often release() of for_each_input() calls it
    std::uint32_t before = kNothing;  ///< the block's task before, in the same step
    std::uint32_t after = kNothing;   ///< and the one after
  };

  /// Keeps a reference to the trace, which lists a phase's pieces in the order of its blocks.
  /// O(pieces + successors).
  BlockTasks(const amr::Trace& trace, const amr::TraceStretch& stretch, int workers);

  /// In the order of level-synchronous stepping.
  std::span<Task> tasks() { return tasks_; }
  /// The task that a piece of the stretch is in.
  std::uint32_t task_of(std::uint32_t piece) const { return task_of_[piece - first_piece_]; }

  /// Calls release(task) for each time that another one waits for this one, last for the block's
  /// own next one of the same step.
  template <class Release>
  void for_each_successor(std::uint32_t at, Release release) const {
    const Task& task = tasks_[at];
    const bool is_last = task.after == kNothing;
    for (std::uint32_t from = at; from != kNothing;
         from = is_last ? tasks_[from].before : kNothing) {
      for (std::uint32_t piece = tasks_[from].begin; piece < tasks_[from].end; ++piece) {
        for (const std::uint32_t next : trace_.successors_of(piece)) {
          if (waits_for_state(piece, next) ? is_last : from == at) release(task_of(next));
        }
      }
    }
    if (!is_last) release(task.after);
  }

 private:
  static constexpr std::uint32_t kNothing = UINT32_MAX;

  void add_tasks(std::uint32_t phase, std::uint32_t first_patch, std::size_t patches, int workers);
  bool waits_for_state(std::uint32_t piece, std::uint32_t next) const;

  const amr::Trace& trace_;
  std::uint32_t first_piece_ = 0;       ///< of the stretch
  std::vector<std::uint32_t> task_of_;  ///< by piece, from there
  std::vector<Task> tasks_;
  std::vector<std::vector<std::uint32_t>> latest_;  ///< task of each level's blocks
};

}  // namespace kumiko::model
