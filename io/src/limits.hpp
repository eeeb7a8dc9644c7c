// What no run has more of: files that say otherwise are not believed.
#pragma once

#include <cstddef>

namespace kumiko::io {

inline constexpr int kMostLevels = 8;
inline constexpr int kMostWorkers = 4096;

}  // namespace kumiko::io
