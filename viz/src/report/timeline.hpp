// Prepares a trace for the page's timeline.
#pragma once

#include <cstddef>

#include <nlohmann/json_fwd.hpp>

#include <kumiko/amr/trace.hpp>

namespace kumiko::viz::report {

/// Pieces of work that a page holds at most: some 40 bytes each. Of a longer trace it shows the
/// first ones.
inline constexpr std::size_t kTimelinePieces = 400'000;

/// Pieces in columns, sorted by worker, then begin, as base64 of little-endian numbers: `begin`
/// (float64) and `length` (float32) in microseconds, `patch`, `phase`, `awaited` (uint32; the
/// largest: none), `cause` and `steals` (uint8). `lanes` has the number of each worker's first
/// piece and, last, of all. `patches` are triples (level, i, j), `phases` quadruples (base step,
/// level, number, kind) of int32.
nlohmann::ordered_json timeline_json(const amr::Trace& trace,
                                     std::size_t most_pieces = kTimelinePieces);

}  // namespace kumiko::viz::report
