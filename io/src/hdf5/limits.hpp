// Upper bounds of a run, because files with larger numbers are refused; and the mark of traces.
#pragma once

#include <cstddef>

namespace kumiko::io {

inline constexpr int kMostLevels = 8;
inline constexpr int kMostWorkers = 4096;
/// Rows of any table of a trace. A recorder stops at 2 GiB, and no row takes it less than 32 bytes.
inline constexpr std::size_t kMostTraceRows = std::size_t{1} << 26U;

/// The attribute of the file that traces have, and nothing else.
inline constexpr const char* kTraceFormat = "trace_layout_version";

}  // namespace kumiko::io
