// The attribute by which a reader tells a trace from a checkpoint.
#pragma once

namespace kumiko::io {

/// The attribute of the file that traces have, and nothing else.
inline constexpr const char* kTraceFormat = "trace_layout_version";

}  // namespace kumiko::io
