#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <hwloc.h>

#include "machine/topology.hpp"

namespace kumiko::runtime::detail {

namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

Handle load() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return nullptr;
  Handle handle(topology);
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  return hwloc_topology_load(topology) == 0 ? std::move(handle) : nullptr;
}

/// The cache furthest from the processor, -1 if none is known.
int last_level_cache(hwloc_obj_t processor) {
  int cache = -1;
  for (hwloc_obj_t above = processor->parent; above != nullptr; above = above->parent) {
    if (hwloc_obj_type_is_dcache(above->type) != 0) {
      // Unique among the caches of its level, and all last ones are of one level.
      cache = static_cast<int>(above->logical_index);
    }
  }
  return cache;
}

int numa_node(hwloc_topology_t topology, hwloc_obj_t processor) {
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    if (hwloc_bitmap_isincluded(processor->cpuset, node->cpuset) != 0) {
      return static_cast<int>(node->logical_index);
    }
  }
  return -1;
}

}  // namespace

std::vector<Topology::Place> read_places_of_processors() {
  std::vector<Topology::Place> places;
  const Handle topology = load();
  if (topology == nullptr) return places;
  for (hwloc_obj_t processor = nullptr;
       (processor = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, processor)) !=
       nullptr;) {
    const std::size_t number = processor->os_index;
    if (places.size() <= number) places.resize(number + 1);
    places[number] = {last_level_cache(processor), numa_node(topology.get(), processor)};
  }
  return places;
}

}  // namespace kumiko::runtime::detail
