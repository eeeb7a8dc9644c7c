#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <hwloc.h>
#include <unistd.h>

#include "machine/topology.hpp"

namespace kumiko::runtime::detail {

namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

/// Whether the system tells of its processors. Where it does not, as in a sandbox without /sys, the
/// library would say so on stderr, for every command.
bool system_tells() {
  return access("/sys/bus/cpu/devices", R_OK | X_OK) == 0 ||
         access("/sys/devices/system/cpu", R_OK | X_OK) == 0;
}

Handle load() {
  if (!system_tells()) return nullptr;
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return nullptr;
  Handle handle(topology);
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  return hwloc_topology_load(topology) == 0 ? std::move(handle) : nullptr;
}

/// The cache furthest from the processor, kUnknownCache if none is known.
int last_level_cache(hwloc_obj_t processor) {
  int cache = kUnknownCache;
  for (hwloc_obj_t above = processor->parent; above != nullptr; above = above->parent) {
    if (hwloc_obj_type_is_dcache(above->type) != 0) {
      // Unique among the caches of its level, and all last ones are of one level.
      cache = static_cast<int>(above->logical_index);
    }
  }
  return cache;
}

}  // namespace

std::vector<int> read_last_level_caches() {
  std::vector<int> caches;
  const Handle topology = load();
  if (topology == nullptr) return caches;
  for (hwloc_obj_t processor = nullptr;
       (processor = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, processor)) !=
       nullptr;) {
    const std::size_t number = processor->os_index;
    if (caches.size() <= number) caches.resize(number + 1, kUnknownCache);
    caches[number] = last_level_cache(processor);
  }
  return caches;
}

}  // namespace kumiko::runtime::detail
