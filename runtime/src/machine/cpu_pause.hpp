// Tells the processor that the caller spins.
#pragma once

namespace kumiko::runtime::detail {

/// Tells the core that the caller spins. About 10 to 140 cycles, depending on the model.
inline void cpu_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  // Not `yield`, which most cores run as a no-op; draining the pipeline does take a while.
  asm volatile("isb");
#endif
}

}  // namespace kumiko::runtime::detail
