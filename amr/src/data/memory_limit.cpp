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
  std::size_t patches = 0;
  for (int level = 0; level < hierarchy.max_levels(); ++level) {
    patches += level == index ? wanted.size() : hierarchy.level(level).size();
  }
  const std::size_t bytes = hierarchy.memory_bytes(patches);
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

}  // namespace kumiko::amr
