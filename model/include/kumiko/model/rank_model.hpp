// Predicts the time of a recorded run on several ranks, each with its own workers.
//
// Patches are distributed among ranks as in a run: by the engine's partitions, new patches to their
// parent's rank, and again when amr::Balance decides so, by their times since the previous regrid.
// Tasks are blocks of a rank's patches, as by schedule dataflow (schedule_model.hpp), and a rank's
// workers take the oldest that is ready. If a patch waits for a patch of another rank, it waits for
// a message. Messages follow LogGP (Alexandrov et al., 1995). Each message costs a worker
// `overhead` at both ends, and `item` for each thing in it. It passes the sender's port no faster
// than `gap` and `per_byte` allow, and arrives `latency` later. Messages to one rank are gathered
// as in cluster/, until they fill a bundle, its time is over, or a worker has nothing to do. A
// message to a rank whose workers are all busy waits until one of them has finished its task.
//
// The data that are sent, in doubles, for one component and two rows of ghosts:
//   to neighbours    a strip of 16 × 2, at a corner 2 × 2, once for each patch that reads it
//   to finer ones    the patch with its ghosts, 20 × 20, once for each rank that reads it
//   to a coarser one a quadrant's restriction, 8 × 8
//   nothing          where a piece waits for another one without reading anything
//
// Between windows, the loops over patches are divided among all workers. The rest takes as long
// as it was recorded, since every rank does it. The messages between ranks are added: before a
// regrid, the measured times of patches; in a regrid, for each level but the finest, strips for the
// ghosts and the tags; after a regrid, the patches that move, with their points; before each
// window, strips of all levels; and after each window, whether a step has failed, and the workers'
// counters. Data for all ranks are sent to rank 0 and from there to each rank, as in cluster/,
// which takes longer with more ranks.
//
// Fluxes across levels are not included, nor ghosts beyond two rows of one component.
//
// The model does not contain what schedule_model.hpp lists, nor steals within a rank, which cost
// nothing here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/partition.hpp>
#include <kumiko/amr/trace.hpp>
#include <kumiko/model/schedule_model.hpp>

namespace kumiko::model {

/// The cost of messages, in nanoseconds.
struct Network {
  double overhead = 0.0;  ///< time of a core for a message, at each end
  double latency = 0.0;
  double gap = 0.0;       ///< least time from one message of a rank to the next
  double per_byte = 0.0;  ///< the same, for each byte
  double item = 50.0;     ///< time of a core for each thing in a message, at each end
};

/// Networks by name: two processes of one machine, where an empty call takes 3.4 us there and back
/// (docs/performance.md, "Ranks"); 100 Gb/s with an MPI that drives the adapter; and 25 Gb/s by
/// TCP. The values of the last two are not measured; they are orders of magnitude.
struct NamedNetwork {
  std::string_view name;
  Network network;
};
inline constexpr std::array<NamedNetwork, 3> kNetworks = {{
    {"shared", {.overhead = 300.0, .latency = 1100.0, .gap = 200.0, .per_byte = 0.1}},
    {"100gb", {.overhead = 400.0, .latency = 1500.0, .gap = 200.0, .per_byte = 0.08}},
    {"tcp", {.overhead = 3000.0, .latency = 20000.0, .gap = 1000.0, .per_byte = 0.32}},
}};

struct RankOptions {
  int workers = 1;  ///< of each rank
  Network network = kNetworks[0].network;
  amr::PartitionKind partition = amr::PartitionKind::kDepthFirst;
  std::uint64_t seed = 1;  ///< of a random partition
};

/// The prediction for a trace on ranks.
struct RankPrediction {
  int ranks = 1;
  double seconds = 0.0;
  double regrid_seconds = 0.0;  ///< of these, seconds between windows
  double alike_seconds =
      0.0;  ///< of these, seconds outside of loops, which do not depend on the number of ranks
  double utilisation = 0.0;         ///< the share of all workers' time in pieces and parallel loops
  double imbalance = 1.0;           ///< of the ranks' pieces in a window, the mean over windows
  std::uint64_t moved_patches = 0;  ///< to another rank
  std::uint64_t messages = 0;       ///< between ranks, in windows
  std::uint64_t edges = 0;          ///< number of messages without bundles
  std::uint64_t bytes = 0;          ///< of what is read
};

class RankLog;

/// Replays one trace. Keeps a reference to it.
class RankModel {
 public:
  static constexpr int kMostRanks = 65536;

  /// \param trace  has passed amr::check()
  /// Throws std::invalid_argument for a trace without pieces.
  RankModel(const amr::Trace& trace, const Overheads& overheads);

  /// Throws std::invalid_argument for numbers of ranks or workers that cannot be modelled.
  /// O((pieces + successors) log ranks).
  RankPrediction predict(int ranks, const RankOptions& options) const;

  /// The actions of each rank of one worker in that prediction, in order, as a time-independent
  /// trace of SimGrid: a text for each rank with "compute", a nanosecond being one floating-point
  /// operation, "send" and "recv". Another simulator can compute the times (Casanova et al., 2014).
  /// Throws as predict() does, and for more than one worker.
  std::vector<std::string> actions(int ranks, const RankOptions& options) const;

 private:
  RankPrediction predict(int ranks, const RankOptions& options, RankLog* log) const;
  double set_up_of(const amr::TraceWindow& window, int ranks, RankLog* log) const;

  const amr::Trace& trace_;
  Overheads overheads_;
};

}  // namespace kumiko::model
