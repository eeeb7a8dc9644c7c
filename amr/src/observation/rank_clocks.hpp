// How far the clocks of a mesh's ranks are apart, who may be on different hosts.
#pragma once

#include <cstdint>
#include <vector>

#include <kumiko/amr/collect.hpp>

namespace kumiko::amr {

/// This process's std::chrono::steady_clock.
std::int64_t steady_now_ns();

/// What each rank's steady clock shows, less what rank 0's does, at some moment.
struct RankClocks {
  std::int64_t at_ns = 0;              ///< by rank 0's clock
  std::vector<std::int64_t> ahead_ns;  ///< by rank
};

/// Compares the clocks of all ranks, who all call it; rank 0 learns of them. Suspends where there
/// are others. Known to about half of what a message takes to the other rank and back: who has
/// heard of what another one has sent was later, and of several such bounds the narrowest count.
/// Where no bound speaks against it, as on one host, clocks are taken to be the same.
/// \param now  reads this rank's clock, in ns
RankClocks compare_clocks(Communicator& communicator, std::int64_t (*now)() = &steady_now_ns);

/// What a rank's clock showed when rank 0's showed the time that is returned, by two comparisons
/// between which clocks drift evenly.
std::int64_t by_first_rank(std::int64_t ns, std::size_t rank, const RankClocks& before,
                           const RankClocks& after);

}  // namespace kumiko::amr
