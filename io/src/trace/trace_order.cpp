#include "trace/trace_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace kumiko::io {

std::vector<std::uint32_t> by_time(const amr::Trace& trace) {
  std::vector<std::uint32_t> order(trace.pieces.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const amr::TracePiece& first = trace.pieces[a];
    const amr::TracePiece& second = trace.pieces[b];
    return std::tie(first.begin_ns, first.end_ns, a) < std::tie(second.begin_ns, second.end_ns, b);
  });
  return order;
}

std::vector<std::int64_t> waits_ns(const amr::Trace& trace,
                                   const std::vector<std::uint32_t>& order) {
  std::vector<std::int64_t> window_begins(trace.phases.size(), 0);
  for (const amr::TraceWindow& window : trace.windows) {
    for (std::uint32_t phase = window.first_phase; phase < window.end_phase; ++phase) {
      window_begins[phase] = window.begin_ns;
    }
  }
  std::vector<std::int64_t> waits(trace.pieces.size());
  std::vector<std::int64_t> ends(static_cast<std::size_t>(trace.workers), 0);
  for (const std::uint32_t at : order) {
    const amr::TracePiece& piece = trace.pieces[at];
    std::int64_t& end = ends[static_cast<std::size_t>(piece.worker)];
    const std::int64_t since = std::max(end, window_begins[piece.phase]);
    waits[at] = std::max<std::int64_t>(piece.begin_ns - since, 0);
    end = std::max(end, piece.end_ns);
  }
  return waits;
}

}  // namespace kumiko::io
