// What a recorded run would take on several ranks, each with workers of its own.
//
// Patches are dealt to ranks by the engine's partitions, by what they cost in the stretch before,
// for a run would know no more. Tasks are blocks of a rank's patches, as
// by schedule dataflow (schedule_model.hpp), and a rank's workers take the oldest that is ready.
// What a patch of another rank waits for is a message, after LogGP (Alexandrov et al., 1995): each
// costs a worker `overhead` where it is sent and where it is received, and `item` for each thing in
// it; passes the sender's port no faster than by `gap` and by `per_byte`; and is there `latency`
// later. Messages to one rank gather as in cluster/: until they are as large as a bundle, its time
// is over, or a worker has nothing to do. A message that comes to a rank whose workers are all busy
// waits until one of them is done with its task.
//
// What is sent, in bytes of doubles, for one component and two rows of ghosts:
//   beside a patch   a strip of 16 × 2, at a corner 2 × 2, once for each patch that reads it
//   to finer ones    the patch with its ghosts, 20 × 20, once for each rank that reads it
//   to a coarser one a quadrant's restriction, 8 × 8
//   nothing          where a piece waits for another one without reading anything
//
// After each stretch all ranks agree, as before each regrid, whose parallel loops take as long as
// all workers make them; the rest of it takes as long as it was recorded, on every rank, since
// every rank does it, and a gather per level is added. Patches that move are not counted.
//
// Fluxes across levels are not counted either, nor other ghosts than two rows of one component.
//
// What the model does not contain is what schedule_model.hpp says; steals within a rank besides,
// which cost nothing here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

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

/// Networks by name: two processes of one machine; 100 Gb/s with an MPI that drives the adapter;
/// 25 Gb/s by TCP. Orders of magnitude, for want of a measurement.
struct NamedNetwork {
  std::string_view name;
  Network network;
};
inline constexpr std::array<NamedNetwork, 3> kNetworks = {{
    {"shared", {.overhead = 300.0, .latency = 400.0, .gap = 200.0, .per_byte = 0.1}},
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
  double regrid_seconds = 0.0;  ///< of them, between stretches
  double utilisation = 0.0;     ///< the share of all workers' time in pieces and parallel loops
  double imbalance = 1.0;       ///< of the ranks' pieces in a stretch, the mean over stretches
  std::uint64_t messages = 0;   ///< between ranks
  std::uint64_t edges = 0;      ///< what one message each would be without bundles
  std::uint64_t bytes = 0;      ///< of what is read
};

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

 private:
  const amr::Trace& trace_;
  Overheads overheads_;
};

}  // namespace kumiko::model
