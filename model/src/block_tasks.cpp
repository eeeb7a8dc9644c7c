#include "block_tasks.hpp"

#include <utility>

#include <kumiko/amr/placement.hpp>

#include "schedule_replay.hpp"

namespace kumiko::model {

BlockTasks::BlockTasks(const amr::Trace& trace, const amr::TraceStretch& stretch, int workers)
    : trace_(trace),
      first_piece_(pieces_of(trace, stretch).begin),
      latest_(static_cast<std::size_t>(trace.levels)) {
  const std::vector<std::uint32_t> level_begin = levels_of(trace, stretch);
  for (std::uint32_t at = stretch.first_phase; at < stretch.end_phase; ++at) {
    const auto level = static_cast<std::size_t>(trace.phases[at].level);
    add_tasks(at, level_begin[level], level_begin[level + 1] - level_begin[level], workers);
  }
  for (std::uint32_t at = 0; at < tasks_.size(); ++at) {
    for_each_successor(at, [&](std::uint32_t next) { ++tasks_[next].inputs; });
  }
}

/// Adds those of a phase.
void BlockTasks::add_tasks(std::uint32_t phase, std::uint32_t first_patch, std::size_t patches,
                           int workers) {
  const amr::TracePhase& of_all = trace_.phases[phase];
  const std::size_t blocks = amr::block_count(patches, workers);
  std::vector<std::uint32_t>& latest = latest_[static_cast<std::size_t>(of_all.level)];
  latest.resize(blocks, kNothing);
  std::size_t own = blocks;
  for (std::uint32_t piece = of_all.first_piece; piece < of_all.end_piece; ++piece) {
    const std::size_t slot = trace_.pieces[piece].patch - first_patch;
    const auto block =
        static_cast<std::size_t>(amr::home_of(slot, patches, static_cast<int>(blocks)));
    if (block != own) {
      own = block;
      Task task{piece, piece, phase, amr::home_of(block, blocks, workers)};
      const auto index = static_cast<std::uint32_t>(tasks_.size());
      const std::uint32_t before = std::exchange(latest[block], index);
      if (before != kNothing && trace_.phases[tasks_[before].phase].number == of_all.number) {
        task.before = before;
        tasks_[before].after = index;
      }
      tasks_.push_back(task);
    }
    ++tasks_.back().end;
    task_of_.push_back(static_cast<std::uint32_t>(tasks_.size() - 1));
  }
}

/// Whether a piece waits for the state that another one's step leads to, and not just for what that
/// one does: it is of a later step, or takes over what a finer level has computed.
bool BlockTasks::waits_for_state(std::uint32_t piece, std::uint32_t next) const {
  const amr::TracePhase& from = trace_.phases[trace_.pieces[piece].phase];
  const amr::TracePhase& to = trace_.phases[trace_.pieces[next].phase];
  if (to.level < from.level) return true;
  return to.number >= (from.number + 1) << (trace_.subcycling ? to.level - from.level : 0);
}

}  // namespace kumiko::model
