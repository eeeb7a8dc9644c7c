#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/core.h>
#include <unistd.h>

#include <kumiko/amr/memory_limit.hpp>
#include <kumiko/amr/require.hpp>

namespace kumiko::amr {

namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;

/// The machine's memory in bytes; a container may be allowed less.
std::size_t machine_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// How many patches the rank has who has most, once those of a level are `wanted`; which rank
/// that is all can tell.
std::size_t most_patches(const Mesh<2>& mesh, int index, const std::vector<PatchId>& wanted) {
  std::vector<std::size_t> of_rank(1);
  const auto count = [&](std::int32_t rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (at >= of_rank.size()) of_rank.resize(at + 1);
    ++of_rank[at];
  };
  for (int level = 0; level < mesh.levels(); ++level) {
    if (level == index) continue;
    for (const std::int32_t rank : mesh.ranks(level)) count(rank);
  }
  for (const PatchId& id : wanted) {
    const PatchId holder = mesh.find(id) >= 0 ? id : id.parent();
    const std::int32_t slot = mesh.find(holder);
    count(slot < 0 ? 0 : mesh.ranks(holder.level)[static_cast<std::size_t>(slot)]);
  }
  return *std::max_element(of_rank.begin(), of_rank.end());
}

}  // namespace

MemoryLimitError::MemoryLimitError(int on_level, std::size_t asked_for, std::size_t needed,
                                   std::size_t limit)
    : std::runtime_error(fmt::format(
          "level {} asks for {} patches, with which all patches take {} bytes ({:.1f} MiB), but "
          "`memory_limit` is {} bytes ({:.1f} MiB); raise it, or `threshold`, or lower `levels` or "
          "`points`",
          on_level, asked_for, needed, static_cast<double>(needed) / kMebibyte, limit,
          static_cast<double>(limit) / kMebibyte)),
      level(on_level),
      patches(asked_for),
      bytes(needed) {}

void check_memory(const Hierarchy& hierarchy, int index, const std::vector<PatchId>& wanted,
                  std::size_t limit) {
  if (limit == 0) return;
  // Not by the pool that this rank has: all decide alike.
  const std::size_t bytes = PatchPool(hierarchy.shape().total_values())
                                .bytes(most_patches(hierarchy.mesh(), index, wanted));
  if (bytes > limit) throw MemoryLimitError(index, wanted.size(), bytes, limit);
}

void check_base_memory(const PatchShape& shape, std::size_t patches, std::size_t limit) {
  const std::size_t bytes = PatchPool(shape.total_values()).bytes(patches);
  const double mebibytes = static_cast<double>(bytes) / kMebibyte;
  require(
      limit != 0 || bytes <= machine_memory(),
      "the base grid's {} patches alone take {:.1f} MiB, but this machine has {:.1f} MiB; lower "
      "`points`",
      patches, mebibytes, static_cast<double>(machine_memory()) / kMebibyte);
  require(limit == 0 || bytes <= limit,
          "the base grid's {} patches alone take {:.1f} MiB, but `memory_limit` is {:.1f} MiB; "
          "raise it, or lower `points`",
          patches, mebibytes, static_cast<double>(limit) / kMebibyte);
}

std::size_t available_memory() {
  std::ifstream lines("/proc/meminfo");
  for (std::string line; std::getline(lines, line);) {
    std::size_t kibibytes = 0;
    std::istringstream words(line);
    std::string name;
    if (words >> name >> kibibytes && name == "MemAvailable:") return kibibytes * 1024;
  }
  return machine_memory();
}

}  // namespace kumiko::amr
