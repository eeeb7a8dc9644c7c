#include <fmt/core.h>
#include <unistd.h>

#include <kumiko/amr/memory_limit.hpp>

namespace kumiko::amr {

namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;

/// The machine's memory in bytes; a container may be allowed less.
std::size_t machine_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

MemoryLimitError::MemoryLimitError(int level, std::size_t patches, std::size_t bytes,
                                   std::size_t limit)
    : std::runtime_error(fmt::format(
          "level {} asks for {} patches, with which all patches take {} bytes ({:.1f} MiB), but "
          "`memory_limit` is {} bytes ({:.1f} MiB); raise it, or `threshold`, or lower `levels` or "
          "`points`",
          level, patches, bytes, static_cast<double>(bytes) / kMebibyte, limit,
          static_cast<double>(limit) / kMebibyte)),
      level_(level),
      patches_(patches),
      bytes_(bytes) {}

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
  if (limit == 0 && bytes > machine_memory()) {
    throw std::invalid_argument(
        fmt::format("the base grid's {} patches alone take {:.1f} MiB, but this machine has {:.1f} "
                    "MiB; lower `points`",
                    patches, static_cast<double>(bytes) / kMebibyte,
                    static_cast<double>(machine_memory()) / kMebibyte));
  }
  if (limit == 0 || bytes <= limit) return;
  throw std::invalid_argument(fmt::format(
      "the base grid's {} patches alone take {:.1f} MiB, but `memory_limit` is {:.1f} MiB; raise "
      "it, or lower `points`",
      patches, static_cast<double>(bytes) / kMebibyte, static_cast<double>(limit) / kMebibyte));
}

}  // namespace kumiko::amr
