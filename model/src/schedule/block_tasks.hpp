// The tasks of a window by dataflow: the work of blocks of patches in each phase, with their edges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <kumiko/amr/trace.hpp>

namespace kumiko::model {

/// How the patches of a level are dealt out.
struct LevelBlocks {
  std::vector<std::uint32_t> block_of;  ///< by slot
  std::vector<int> homes;               ///< by block
};

/// As DataflowSchedule does it for a number of workers: equal parts of each level.
std::vector<LevelBlocks> equal_blocks(const amr::Trace& trace, const amr::TraceWindow& window,
                                      int workers);

/// Tasks of blocks from a trace whose edges are between patches. As in amr::BlockGraph, pieces that
/// wait for a block's work within its step are released by the task that does the work, and pieces
/// that wait for its state by its last task of the step.
class BlockTasks {
 public:
  /// The pieces of a block in one phase.
  struct Task {
    std::uint32_t begin;  ///< its pieces, as pieces() has them
    std::uint32_t end;
    std::uint32_t phase;
    int home;
    std::uint32_t inputs = 0;         ///< how often for_each_successor() calls release() with it
    std::uint32_t before = kNothing;  ///< the block's task before, in the same step
    std::uint32_t after = kNothing;   ///< and the one after
  };

  /// Keeps a reference to the trace. \param levels  the window's
  /// O(pieces log pieces + successors).
  BlockTasks(const amr::Trace& trace, const amr::TraceWindow& window,
             std::span<const LevelBlocks> levels);

  /// In the order of level-synchronous stepping.
  std::span<Task> tasks() { return tasks_; }
  std::span<const Task> tasks() const { return tasks_; }
  std::span<const std::uint32_t> pieces(const Task& task) const {
    return std::span(pieces_).subspan(task.begin, task.end - task.begin);
  }
  /// The task that a piece of the window is in.
  std::uint32_t task_of(std::uint32_t piece) const { return task_of_[piece - first_piece_]; }

  /// Calls release(task, from, to) for each piece `to` of another task that waits for a piece
  /// `from` that this one makes final; last, as release_next(task), for the block's own next one of
  /// the same step.
  template <class Release, class ReleaseNext>
  void for_each_edge(std::uint32_t at, Release release, ReleaseNext release_next) const {
    const Task& task = tasks_[at];
    const bool is_last = task.after == kNothing;
    for (std::uint32_t from = at; from != kNothing;
         from = is_last ? tasks_[from].before : kNothing) {
      for (const std::uint32_t piece : pieces(tasks_[from])) {
        for (const std::uint32_t next : trace_.successors_of(piece)) {
          if (waits_for_state(piece, next) ? is_last : from == at) {
            release(task_of(next), piece, next);
          }
        }
      }
    }
    if (!is_last) release_next(task.after);
  }

  /// Calls release(task) for each time that another one waits for this one.
  template <class Release>
  void for_each_successor(std::uint32_t at, Release release) const {
    for_each_edge(
        at, [&](std::uint32_t task, std::uint32_t, std::uint32_t) { release(task); }, release);
  }

 private:
  static constexpr std::uint32_t kNothing = UINT32_MAX;

  void add_tasks(std::uint32_t phase, std::uint32_t first_patch, const LevelBlocks& blocks);
  bool waits_for_state(std::uint32_t piece, std::uint32_t next) const;

  const amr::Trace& trace_;
  std::uint32_t first_piece_ = 0;       ///< of the window
  std::vector<std::uint32_t> pieces_;   ///< by task
  std::vector<std::uint32_t> task_of_;  ///< by piece, from the first one
  std::vector<Task> tasks_;
  std::vector<std::vector<std::uint32_t>> latest_;  ///< task of each level's blocks
};

}  // namespace kumiko::model
