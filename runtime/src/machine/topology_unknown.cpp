#include "machine/topology.hpp"

/// The topology of a build without hwloc: nothing is known.
namespace kumiko::runtime::detail {

std::vector<int> read_last_level_caches() { return {}; }

}  // namespace kumiko::runtime::detail
