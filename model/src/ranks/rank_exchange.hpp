// What it takes when ranks tell each other something all at once, between windows.
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
  /// What stands in the patches of a level for patches of others beside them.
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

/// What ranks do together between windows, in nanoseconds, besides what one process does there.
class Meetings {
 public:
  /// Keeps a reference to the network. \param log  takes down what ranks of one worker do
  Meetings(int ranks, const Network& network, RankLog* log = nullptr)
      : ranks_(ranks), network_(network), log_(log) {}

  /// How many patches go from one rank to another.
  using Moves = std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t>;

  /// Before a window with this mesh. All know what each patch has taken; level by level, coarse to
  /// fine, ghosts are filled, and all know what is tagged; then patches move.
  double regrid(const amr::Mesh<2>& mesh, const Moves& moves) const;
  /// What stands in the patches beside each rank's own comes there before a window.
  double begin_window(const amr::Mesh<2>& mesh) const;
  /// All know whether a step has failed, and what each worker did.
  double end_window(int steps, int workers) const;

 private:
  double gather(double bytes) const;
  double exchange(const Exchange& messages) const;

  int ranks_;
  const Network& network_;
  RankLog* log_;
};

}  // namespace kumiko::model
