#pragma once

namespace kumiko::runtime::detail {

/// Tells the core that the caller spins. About 10 to 140 cycles, depending on the model.
inline void cpu_pause() noexcept { __builtin_ia32_pause(); }

}  // namespace kumiko::runtime::detail
