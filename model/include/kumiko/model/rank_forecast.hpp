// Estimates, before a run's first step, whether it would be faster on fewer ranks.
//
// At that time there is no trace to replay (rank_model.hpp), and the estimate must be quick. So the
// time of a base step is estimated from the first mesh. On a number of ranks it is the longest of
//
//   the work of the busiest rank: its patches' steps; a core's work for each strip that it sends or
//   reads, and for one message to and from each neighbour in each step of the finest level on which
//   they meet
//   the work of all ranks, if their workers share fewer cores
//   the chain of the finest level's steps, each of which waits for a message where ranks meet there
//
// plus its part of a regrid: the work that all ranks do alike, which is about a step of each patch,
// and the messages between ranks. Nothing is added for messages that are not bundled, for waiting,
// or for cores that ranks share. So the estimate favours more ranks.
#pragma once

#include <optional>

#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/partition.hpp>
#include <kumiko/model/rank_model.hpp>

namespace kumiko::model {

/// The data of a run before its first step.
struct RunStart {
  const amr::Mesh<2>& mesh;
  const amr::ByPatch<double>& seconds;  ///< from amr::Simulation::expected_seconds()
  bool subcycling = true;
  int interval = 1;  ///< base steps between regrids
  int cores = 0;     ///< number of cores for the workers of all ranks; 0 = one for each worker
};

/// The estimated time in seconds of a base step on a number of ranks, among which the mesh is
/// distributed by options.partition. O(patches log patches + ranks × levels).
double expected_step(const RunStart& start, int ranks, const RankOptions& options);

/// A number of ranks on which the run is estimated to be faster.
struct FewerRanks {
  int ranks = 1;
  double seconds = 0.0;      ///< estimated time of a base step
  double seconds_now = 0.0;  ///< the same on the present ranks
};

/// Tries half as many ranks, a quarter and so on, as long as each is faster than the one before.
/// Returns the last one, if it is faster than all ranks by a quarter or more. Returns nothing if
/// each rank has more than 1 ms of work in a base step, because then more ranks never make a run
/// slower, and for meshes with so many patches that the estimate would take more than some
/// milliseconds.
std::optional<FewerRanks> faster_on_fewer(const RunStart& start, int ranks,
                                          const RankOptions& options);

}  // namespace kumiko::model
