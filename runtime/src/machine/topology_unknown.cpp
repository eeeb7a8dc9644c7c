#include "machine/topology.hpp"

/// For a build without hwloc.
namespace kumiko::runtime::detail {

std::vector<Topology::Place> read_places_of_processors() { return {}; }

}  // namespace kumiko::runtime::detail
