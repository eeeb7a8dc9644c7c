// How far the clocks of a mesh's owners are apart, who may be on different hosts.
#pragma once

#include <cstdint>
#include <vector>

#include <kumiko/amr/collect.hpp>

namespace kumiko::amr {

/// This process's std::chrono::steady_clock.
std::int64_t steady_now_ns();

/// What each owner's steady clock shows, less what owner 0's does, at some moment.
struct OwnerClocks {
  std::int64_t at_ns = 0;              ///< by owner 0's clock
  std::vector<std::int64_t> ahead_ns;  ///< by owner
};

/// Compares the clocks of all owners, who all call it; owner 0 learns of them. Suspends where there
/// are others. Known to about half of what a message takes to the other owner and back: who has
/// heard of what another one has sent was later, and of several such bounds the narrowest count.
/// Where no bound speaks against it, as on one host, clocks are taken to be the same.
/// \param now  reads this owner's clock, in ns
OwnerClocks compare_clocks(Owner& owner, std::int64_t (*now)() = &steady_now_ns);

/// What an owner's clock showed when owner 0's showed the time that is returned, by two comparisons
/// between which clocks drift evenly.
std::int64_t by_first_owner(std::int64_t ns, std::size_t owner, const OwnerClocks& before,
                            const OwnerClocks& after);

}  // namespace kumiko::amr
