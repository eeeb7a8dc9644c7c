#include "schedule/cache_size.hpp"

#include <fstream>
#include <string>

namespace kumiko::amr {

std::size_t largest_cache(const std::filesystem::path& root) {
  constexpr int kHighest = 4;
  constexpr int kShared = 3;  // and above
  const std::filesystem::path caches = root / "sys/devices/system/cpu/cpu0/cache";
  // Larger ones have higher numbers.
  for (int index = kHighest; index > 0; --index) {
    const std::filesystem::path cache = caches / ("index" + std::to_string(index));
    int level = 0;
    std::size_t kibibytes = 0;
    char unit = 0;
    if (!(std::ifstream(cache / "level") >> level) || level < kShared) continue;
    if (std::ifstream(cache / "size") >> kibibytes >> unit && unit == 'K') return kibibytes << 10U;
  }
  return 0;
}

}  // namespace kumiko::amr
