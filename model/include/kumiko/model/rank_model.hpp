// What a recorded run would take on several ranks, each with workers of its own.
//
// Patches are dealt to ranks as a run does it: by the engine's partitions, new ones to their
// parent's rank, and anew where amr::Balance says so, by what they have taken since the regrid
// before. Tasks are blocks of a rank's patches, as by schedule dataflow (schedule_model.hpp), and a
// rank's workers take the oldest that is ready. What a patch of another rank waits for is a
// message, after LogGP (Alexandrov et al., 1995): each costs a worker `overhead` where it is sent
// and where it is received, and `item` for each thing in it; passes the sender's port no faster
// than by `gap` and by `per_byte`; and is there `latency` later. Messages to one rank gather as in
// cluster/: until they are as large as a bundle, its time is over, or a worker has nothing to do. A
// message that comes to a rank whose workers are all busy waits until one of them is done with its
// task.
//
// What is sent, in bytes of doubles, for one component and two rows of ghosts:
//   beside a patch   a strip of 16 × 2, at a corner 2 × 2, once for each patch that reads it
//   to finer ones    the patch with its ghosts, 20 × 20, once for each rank that reads it
//   to a coarser one a quadrant's restriction, 8 × 8
//   nothing          where a piece waits for another one without reading anything
//
// Between stretches the loops over patches take as long as all workers make them; the rest of it
// takes as long as it was recorded, since every rank does it. What ranks tell each other comes on
// top. Before a regrid: what the patches have taken, which each rank weighs. For each level but the
// finest: strips for the ghosts, and what is tagged. After it: patches that move, with their
// points. Before each stretch: strips of all levels; after it, whether a step has failed and what
// the workers did. What all are to know goes to rank 0 and from there to each, as in cluster/: it
// takes the longer the more ranks there are.
//
// Fluxes across levels are not counted either, nor other ghosts than two rows of one component.
//
// What the model does not contain is what schedule_model.hpp says; steals within a rank besides,
// which cost nothing here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/partition.hpp>
#include <kumiko/amr/trace.hpp>
#include <kumiko/model/schedule_model.hpp>

namespace kumiko::model {

/// What messages cost, in nanoseconds.
struct Network {
  double overhead = 0.0;  ///< of a core, for a message, at each end
  double latency = 0.0;
  double gap = 0.0;       ///< from one message of a rank to the next
  double per_byte = 0.0;  ///< as gap
  double item = 50.0;     ///< of a core, for each thing in a message, at each end
};

/// Networks by name: two processes of one machine, where an empty call takes 3.4 us there and back
/// (docs/performance.md, "Ranks"); 100 Gb/s with an MPI that drives the adapter, and 25 Gb/s by
/// TCP, which are orders of magnitude, for want of a measurement.
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

/// What ranks make of a trace.
struct RankPrediction {
  int ranks = 1;
  double seconds = 0.0;
  double regrid_seconds = 0.0;      ///< of them, between stretches
  double alike_seconds = 0.0;       ///< of these, in no loop: what no number of ranks shortens
  double utilisation = 0.0;         ///< the share of all workers' time in pieces and parallel loops
  double imbalance = 1.0;           ///< of the ranks' pieces in a stretch, the mean over stretches
  std::uint64_t moved_patches = 0;  ///< to another rank
  std::uint64_t messages = 0;       ///< between ranks, in stretches
  std::uint64_t edges = 0;          ///< what one message each would be without bundles
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

  /// What each rank of one worker does and sends in that prediction, in its order, as a
  /// time-independent trace of SimGrid: a text for each rank with "compute", a nanosecond being one
  /// floating-point operation, "send" and "recv". Another simulator can find out when it all
  /// happens (Casanova et al., 2014). Throws as predict(), and for more workers.
  std::vector<std::string> actions(int ranks, const RankOptions& options) const;

 private:
  RankPrediction predict(int ranks, const RankOptions& options, RankLog* log) const;
  double set_up_of(const amr::TraceStretch& stretch, int ranks, RankLog* log) const;

  const amr::Trace& trace_;
  Overheads overheads_;
};

}  // namespace kumiko::model
