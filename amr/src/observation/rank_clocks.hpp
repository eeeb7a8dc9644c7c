// How far the clocks of a mesh's ranks are apart, who may be on different hosts.
#pragma once

#include <cstdint>
#include <vector>

#include <kumiko/amr/collect.hpp>

namespace kumiko::amr {

/// This process's std::chrono::steady_clock.
std::int64_t steady_now_ns();

/// The offsets of the ranks' steady clocks from rank 0's at some moment.
struct RankClocks {
  std::int64_t at_ns = 0;              ///< by rank 0's clock
  std::vector<std::int64_t> ahead_ns;  ///< by rank
};

/// Compares the clocks of all ranks. All ranks call it; rank 0 gets the result. Suspends if there
/// are others. The error is at most about half a message's round trip: a message is received after
/// it was sent, and the narrowest of several such bounds counts. If the bounds allow it, as on one
/// host, clocks are taken to be the same.
/// \param now  reads this rank's clock, in ns
RankClocks compare_clocks(Communicator& communicator, std::int64_t (*now)() = &steady_now_ns);

/// Converts a time of a rank's clock to rank 0's clock, from two comparisons, between which the
/// clocks are assumed to drift evenly.
std::int64_t by_first_rank(std::int64_t ns, std::size_t rank, const RankClocks& before,
                           const RankClocks& after);

}  // namespace kumiko::amr
