#include "machine/topology.hpp"

/// The topology of a build without hwloc: nothing is known.
namespace kumiko::runtime::detail {

std::vector<Topology::Place> read_places_of_processors() { return {}; }

}  // namespace kumiko::runtime::detail
