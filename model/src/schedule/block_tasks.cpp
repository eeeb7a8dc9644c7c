#include "schedule/block_tasks.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <kumiko/amr/placement.hpp>

#include "schedule/schedule_replay.hpp"

namespace kumiko::model {

std::vector<LevelBlocks> equal_blocks(const amr::Trace& trace, const amr::TraceWindow& window,
                                      int workers) {
  const std::vector<std::uint32_t> level_begin = levels_of(trace, window);
  std::vector<LevelBlocks> levels(level_begin.size() - 1);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const std::size_t patches = level_begin[level + 1] - level_begin[level];
    const std::size_t blocks = amr::block_count(patches, workers);
    for (std::size_t slot = 0; slot < patches; ++slot) {
      levels[level].block_of.push_back(
          static_cast<std::uint32_t>(amr::home_of(slot, patches, static_cast<int>(blocks))));
    }
    for (std::size_t block = 0; block < blocks; ++block) {
      levels[level].homes.push_back(amr::home_of(block, blocks, workers));
    }
  }
  return levels;
}

BlockTasks::BlockTasks(const amr::Trace& trace, const amr::TraceWindow& window,
                       std::span<const LevelBlocks> levels)
    : trace_(trace), first_piece_(pieces_of(trace, window).begin) {
  const std::vector<std::uint32_t> level_begin = levels_of(trace, window);
  for (const LevelBlocks& level : levels) latest_.emplace_back(level.homes.size(), kNothing);
  task_of_.resize(pieces_of(trace, window).end - first_piece_);
  for (std::uint32_t at = window.first_phase; at < window.end_phase; ++at) {
    const auto level = static_cast<std::size_t>(trace.phases[at].level);
    if (trace.phases[at].first_piece == trace.phases[at].end_piece) continue;
    add_tasks(at, level_begin[level], levels[level]);
  }
  for (std::uint32_t at = 0; at < tasks_.size(); ++at) {
    for_each_successor(at, [&](std::uint32_t next) { ++tasks_[next].inputs; });
  }
}

/// Adds those of a phase.
void BlockTasks::add_tasks(std::uint32_t phase, std::uint32_t first_patch,
                           const LevelBlocks& blocks) {
  const amr::TracePhase& of_all = trace_.phases[phase];
  const auto block_of = [&](std::uint32_t piece) {
    return blocks.block_of[trace_.pieces[piece].patch - first_patch];
  };
  const auto begin = static_cast<std::uint32_t>(pieces_.size());
  pieces_.resize(begin + (of_all.end_piece - of_all.first_piece));
  const auto of_phase = std::span(pieces_).subspan(begin);
  std::iota(of_phase.begin(), of_phase.end(), of_all.first_piece);
  std::ranges::stable_sort(of_phase, {}, block_of);
  std::vector<std::uint32_t>& latest = latest_[static_cast<std::size_t>(of_all.level)];
  std::uint32_t own = kNothing;
  for (std::uint32_t place = begin; place < pieces_.size(); ++place) {
    const std::uint32_t block = block_of(pieces_[place]);
    if (block != own) {
      own = block;
      Task task{place, place, phase, blocks.homes[block]};
      const auto index = static_cast<std::uint32_t>(tasks_.size());
      const std::uint32_t before = std::exchange(latest[block], index);
      if (before != kNothing && trace_.phases[tasks_[before].phase].number == of_all.number) {
        task.before = before;
        tasks_[before].after = index;
      }
      tasks_.push_back(task);
    }
    ++tasks_.back().end;
    task_of_[pieces_[place] - first_piece_] = static_cast<std::uint32_t>(tasks_.size() - 1);
  }
}

/// True if a piece waits for the state that another one's step leads to, and not just for what that
/// one does: it is of a later step, or takes over what a finer level has computed.
bool BlockTasks::waits_for_state(std::uint32_t piece, std::uint32_t next) const {
  const amr::TracePhase& from = trace_.phases[trace_.pieces[piece].phase];
  const amr::TracePhase& to = trace_.phases[trace_.pieces[next].phase];
  if (to.level < from.level) return true;
  return to.number >= (from.number + 1) << (trace_.subcycling ? to.level - from.level : 0);
}

}  // namespace kumiko::model
