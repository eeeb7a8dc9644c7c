// The tasks of a window on several ranks, and the data that they send to other ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <kumiko/amr/partition.hpp>
#include <kumiko/amr/trace.hpp>
#include <kumiko/model/rank_model.hpp>

#include "schedule/block_tasks.hpp"

namespace kumiko::model {

/// The data that a task sends to another rank.
struct Parcel {
  std::uint32_t items = 0;           ///< that are read
  std::uint64_t bytes = 0;           ///< of them
  std::vector<std::uint32_t> tasks;  ///< each as often as it waits for this
};

/// The tasks of a window whose patches are distributed among ranks.
class RankTasks {
 public:
  /// Keeps a reference to the trace.
  /// \param rank_of  the ranks of the window's patches
  RankTasks(const amr::Trace& trace, const amr::TraceWindow& window,
            const amr::ByPatch<std::int32_t>& rank_of, const RankOptions& options, int ranks);

  /// Homes are ranks.
  std::span<BlockTasks::Task> tasks() { return tasks_.tasks(); }
  std::span<const std::uint32_t> pieces(const BlockTasks::Task& task) const {
    return tasks_.pieces(task);
  }

  /// Calls release(task) for each time that a task of the same rank waits for this one, then
  /// send(rank, parcel) for each rank that does.
  template <class Release, class Send>
  void for_each_successor(std::uint32_t at, Release release, Send send) {
    const int own = tasks_.tasks()[at].home;
    edges_.clear();
    tasks_.for_each_edge(
        at,
        [&](std::uint32_t task, std::uint32_t from, std::uint32_t to) {
          if (const int rank = tasks_.tasks()[task].home; rank != own) {
            edges_.push_back({rank, task, from, to});
          } else {
            release(task);
          }
        },
        release);
    std::ranges::stable_sort(edges_, {}, &Edge::rank);
    for (auto first = edges_.begin(); first != edges_.end();) {
      const auto end = std::ranges::find_if(
          first, edges_.end(), [&](const Edge& edge) { return edge.rank != first->rank; });
      send(first->rank, parcel_of({first, end}));
      first = end;
    }
  }

 private:
  /// A task of another rank that waits for a piece.
  struct Edge {
    int rank;
    std::uint32_t task;
    std::uint32_t from;  ///< pieces
    std::uint32_t to;
  };

  /// Something that one rank sends another once: of a patch, to be read by one, or by any.
  struct Item {
    std::uint32_t piece;
    std::uint32_t reader;
    friend bool operator==(const Item&, const Item&) = default;
  };

  Parcel parcel_of(std::span<const Edge> edges);
  std::pair<std::uint32_t, std::uint64_t> read_of(std::uint32_t from, std::uint32_t to) const;

  static std::vector<LevelBlocks> blocks_of(const amr::ByPatch<std::int32_t>& rank_of, int ranks,
                                            int workers);

  const amr::Trace& trace_;
  BlockTasks tasks_;
  std::vector<Edge> edges_;  ///< scratch
  std::vector<Item> items_;  ///< scratch
};

}  // namespace kumiko::model
