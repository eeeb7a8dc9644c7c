// The time that ranks take to exchange data all at once, between windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <kumiko/amr/mesh.hpp>
#include <kumiko/model/rank_model.hpp>

#include "ranks/rank_log.hpp"

namespace kumiko::model {

// Of a patch, in bytes, of one component and two rows of ghosts.
inline constexpr std::uint64_t kNumberBytes = sizeof(double);
inline constexpr std::uint64_t kGhostRows = 2;
inline constexpr std::uint64_t kStripBytes = amr::kPatchSize * kGhostRows * kNumberBytes;
inline constexpr std::uint64_t kCornerBytes = kGhostRows * kGhostRows * kNumberBytes;

/// Nanoseconds until all ranks know what each of them says, as cluster::all_gather() does it: rank
/// 0 reads what the others send, one after the other, and sends everything to each.
/// \param bytes  of all ranks together
double gather_time(int ranks, const Network& network, double bytes);

/// Messages that all ranks send at one time, each at most one to another.
class Exchange {
 public:
  explicit Exchange(int ranks) : sent_(static_cast<std::size_t>(ranks)) {}

  /// A rank has something for another. O(readers of the rank).
  void add(std::int32_t from, std::int32_t to, std::uint64_t bytes, std::uint64_t items = 1);
  /// Adds the strips of a level's patches that neighbours on other ranks read.
  void add_strips(const amr::Mesh<2>& mesh, int level);

  struct Rank {
    std::uint64_t items = 0;     ///< sent and read
    std::uint64_t messages = 0;  ///< sent and read
    std::uint64_t bytes = 0;     ///< sent
    /// Nanoseconds of a core.
    double cost(const Network& network) const {
      return static_cast<double>(messages) * network.overhead +
             static_cast<double>(items) * network.item;
    }
  };
  /// Of each rank. O(ranks + messages).
  std::vector<Rank> count() const;

  /// Nanoseconds until the last rank has read what the others have sent.
  double time(const Network& network) const;
  /// Takes down what the ranks do: each sends all, then reads all.
  void log(const Network& network, RankLog& log) const;

 private:
  /// A message.
  struct Sent {
    std::int32_t to = 0;
    std::uint64_t items = 0;
    std::uint64_t bytes = 0;
    double cost(const Network& network) const {
      return network.overhead + static_cast<double>(items) * network.item;
    }
  };

  std::vector<std::vector<Sent>> sent_;  ///< by sender, to few each
};

/// The times of exchanges of all ranks between windows, in nanoseconds.
class Meetings {
 public:
  /// Keeps a reference to the network. \param log  records the actions of ranks with one worker
  Meetings(int ranks, const Network& network, RankLog* log = nullptr)
      : ranks_(ranks), network_(network), log_(log) {}

  /// How many patches go from one rank to another.
  using Moves = std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t>;

  /// Of a regrid to this mesh: of the times of all patches; level by level, from coarse to fine, of
  /// ghosts and tags; then of the patches that move.
  double regrid(const amr::Mesh<2>& mesh, const Moves& moves) const;
  /// Of strips, before a window with this mesh.
  double begin_window(const amr::Mesh<2>& mesh) const;
  /// Of failures of steps and of the workers' counters, after a window.
  double end_window(int steps, int workers) const;

 private:
  double gather(double bytes) const;
  double exchange(const Exchange& messages) const;

  int ranks_;
  const Network& network_;
  RankLog* log_;
};

}  // namespace kumiko::model
