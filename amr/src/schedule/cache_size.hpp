// How large the cache is that keeps a level's patches from one step to the next.
#pragma once

#include <cstddef>
#include <filesystem>

namespace kumiko::amr {

/// Bytes of the largest cache that processor 0 reaches, as the kernel says; 0 where it tells of
/// none above the second level, which each core has for itself: some virtual machines hide what the
/// cores share. Not sysconf(_SC_LEVEL3_CACHE_SIZE), which on AMD's processors adds up the caches of
/// all cores, those too that a virtual machine has not. Reads a few small files. \param root  "/",
/// or a copy of its sys/devices/system/cpu/cpu0/cache
std::size_t largest_cache(const std::filesystem::path& root);

}  // namespace kumiko::amr
