// Reads the processor's time stamp counter.
#pragma once

#include <cstdint>

namespace kumiko::runtime::detail {

/// The processor's time stamp counter: some nanoseconds to read, of a frequency of its own.
inline std::uint64_t read_ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  std::uint64_t ticks = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}

}  // namespace kumiko::runtime::detail
