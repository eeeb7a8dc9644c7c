#include <kumiko/io/trace_file.hpp>

#include "text/chunked_text.hpp"
#include "trace/trace_order.hpp"

namespace kumiko::io {

namespace {

constexpr std::string_view kTraceColumns =
    "base_step,level,i,j,kind,number,worker,begin_s,end_s,waited_s,cause,awaited_level,awaited_i,"
    "awaited_j,awaited_kind,awaited_number,steals,runnable,io_in_flight\n";

/// Appends what a piece waited for; nothing if it did not wait.
void append_awaited(ChunkedText& text, const amr::Trace& trace, const amr::TracePiece& piece) {
  if (piece.awaited == amr::kNoPiece) {
    text << ",,,,,,";
    return;
  }
  const amr::TracePiece& awaited = trace.pieces[piece.awaited];
  const amr::PatchId& patch = trace.patches[awaited.patch];
  const amr::TracePhase& phase = trace.phases[awaited.phase];
  text << to_string(piece.cause) << "," << patch.level << "," << patch.i << "," << patch.j << ","
       << to_string(phase.kind) << "," << phase.number << ",";
}

/// Appends a counter; nothing if it is not known.
void append_known(ChunkedText& text, std::int32_t value) {
  if (value >= 0) text << value;
}

void append_row(ChunkedText& text, const amr::Trace& trace, const amr::TracePiece& piece,
                std::int64_t waited_ns) {
  const amr::PatchId& patch = trace.patches[piece.patch];
  const amr::TracePhase& phase = trace.phases[piece.phase];
  text << phase.base_step << "," << patch.level << "," << patch.i << "," << patch.j << ","
       << to_string(phase.kind) << "," << phase.number << "," << piece.worker << ",";
  text.seconds(piece.begin_ns) << ",";
  text.seconds(piece.end_ns) << ",";
  text.seconds(waited_ns) << ",";
  append_awaited(text, trace, piece);
  text << piece.steals << ",";
  append_known(text, piece.runnable);
  text << ",";
  append_known(text, piece.io_in_flight);
  text << "\n";
}

}  // namespace

void write_trace_csv(std::ostream& out, const amr::Trace& trace) {
  const std::vector<std::int64_t> waits = waits_ns(trace, by_time(trace));
  ChunkedText text(out);
  text << kTraceColumns;
  for (std::size_t at = 0; at < trace.pieces.size(); ++at) {
    append_row(text, trace, trace.pieces[at], waits[at]);
  }
  text.flush();
}

}  // namespace kumiko::io
