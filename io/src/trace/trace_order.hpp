// Orders a trace's pieces by time, and computes how long workers waited before them.
#pragma once

#include <cstdint>
#include <vector>

#include <kumiko/amr/trace.hpp>

namespace kumiko::io {

/// The pieces' indices by their begin.
std::vector<std::uint32_t> by_time(const amr::Trace& trace);

/// How long the worker of each piece had done nothing before it: since its last piece ended, or
/// since the window began. `order` is by_time().
std::vector<std::int64_t> waits_ns(const amr::Trace& trace,
                                   const std::vector<std::uint32_t>& order);

}  // namespace kumiko::io
