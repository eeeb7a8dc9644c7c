// Whether fewer ranks can be expected to be faster, before a run has taken a step.
//
// Then a trace, whose pieces could be replayed (rank_model.hpp), is still to come, and time is
// short: so a base step is weighed by the first mesh. On some number of ranks it takes the longer
// of
//
//   what the busiest rank does: its patches' steps; a core's work for each strip that it sends or
//   reads, and for one message to and from each neighbour in each step of the finest level on which
//   they meet
//   what all ranks do, where their workers share fewer cores
//   the chain of the finest level's steps, each of which waits for a message where ranks meet there
//
// and its part of a regrid: what all ranks do alike, about a step of each patch; what they tell
// each other. Nothing is added for messages that go alone, for waiting, or for cores that ranks
// share: more ranks are shown in too good a light rather than in too bad a one.
#pragma once

#include <optional>

#include <kumiko/amr/mesh.hpp>
#include <kumiko/amr/partition.hpp>
#include <kumiko/model/rank_model.hpp>

namespace kumiko::model {

/// What is known of a run before its first step.
struct RunStart {
  const amr::Mesh<2>& mesh;
  const amr::ByPatch<double>& seconds;  ///< as amr::Simulation::expected_seconds() has them
  bool subcycling = true;
  int interval = 1;  ///< base steps between regrids
  int cores = 0;     ///< that the workers of all ranks have; 0 = one each
};

/// Seconds that a base step is expected to take on some number of ranks, by whom the mesh is dealt
/// out as options.partition says. O(patches log patches + ranks × levels).
double expected_step(const RunStart& start, int ranks, const RankOptions& options);

/// A number of ranks that is expected to be faster.
struct FewerRanks {
  int ranks = 1;
  double seconds = 0.0;      ///< of a base step
  double seconds_now = 0.0;  ///< on the ranks that there are
};

/// Of half as many ranks, a quarter and so on, as long as that gains something, the last one, if it
/// is faster than all by a quarter or more. Nothing where each rank has more than 1 ms of work in a
/// base step, which more ranks never lengthen, nor for meshes of so many patches that it would take
/// longer than some milliseconds.
std::optional<FewerRanks> faster_on_fewer(const RunStart& start, int ranks,
                                          const RankOptions& options);

}  // namespace kumiko::model
