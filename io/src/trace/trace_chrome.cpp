#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <kumiko/io/trace_file.hpp>

#include "text/chunked_text.hpp"
#include "trace/trace_order.hpp"

namespace kumiko::io {

namespace {

using Json = nlohmann::ordered_json;

// Processes and threads of the format are groups and rows of the picture. Their numbers differ from
// each other and from 0, which viewers take for a system's own.
constexpr int kWorkers = 1;  ///< the process with the workers, rows 1 and up
constexpr int kRunRow = 2;   ///< that with the run's one row
int row_of(std::int32_t worker) { return worker + 1; }

std::string json(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Writes the events of one trace. Every event but the first begins with a comma.
class ChromeWriter {
 public:
  ChromeWriter(std::ostream& out, const amr::Trace& trace)
      : text_(out), trace_(trace), order_(by_time(trace)), waits_(waits_ns(trace, order_)) {}

  void write() {
    text_ << kChromeTraceHead << json(trace_.case_name) << ",\"solver\":" << json(trace_.solver)
          << ",\"backend\":" << json(trace_.backend) << ",\"schedule\":" << json(trace_.schedule)
          << ",\"workers\":" << trace_.workers << "},\"traceEvents\":[";
    write_rows();
    write_windows();
    write_spans();
    for (const std::uint32_t at : order_) write_piece(at);
    write_counters();
    text_ << "\n]}\n";
    text_.flush();
  }

 private:
  ChunkedText& begin_event(std::string_view kind, int process, int row) {
    text_ << (first_ ? "\n" : ",\n") << R"({"ph":")" << kind << R"(","pid":)" << process
          << R"(,"tid":)" << row;
    first_ = false;
    return text_;
  }
  /// Begins an event of a piece's row.
  ChunkedText& begin_event(std::string_view kind, const amr::TracePiece& piece,
                           std::int64_t time_ns) {
    begin_event(kind, kWorkers, row_of(piece.worker)) << R"(,"ts":)";
    return text_.microseconds(time_ns);
  }

  void write_name(std::string_view what, int process, int row, const std::string& name, int place) {
    begin_event("M", process, row)
        << R"(,"name":")" << what << R"(_name","args":{"name":)" << json(name) << "}}";
    begin_event("M", process, row)
        << R"(,"name":")" << what << R"(_sort_index","args":{"sort_index":)" << place << "}}";
  }
  void write_rows() {
    const int run = row_of(trace_.workers);
    write_name("process", kRunRow, run, "run", 0);
    write_name("thread", kRunRow, run, "base steps", 0);
    write_name("process", kWorkers, row_of(0), "workers", 1);
    for (std::int32_t worker = 0; worker < trace_.workers; ++worker) {
      write_name("thread", kWorkers, row_of(worker), "worker " + std::to_string(worker), worker);
    }
  }

  /// Leaves the event's arguments open.
  void begin_run_slice(const std::string& name, std::string_view category, std::int64_t begin_ns,
                       std::int64_t end_ns) {
    begin_event("X", kRunRow, row_of(trace_.workers)) << R"(,"ts":)";
    text_.microseconds(begin_ns) << R"(,"dur":)";
    text_.microseconds(end_ns - begin_ns)
        << R"(,"name":)" << json(name) << R"(,"cat":")" << category << R"(","args":{)";
  }
  void write_windows() {
    for (const amr::TraceWindow& window : trace_.windows) {
      const std::int64_t last = std::int64_t{window.first_step} + window.steps - 1;
      const std::string first = std::to_string(window.first_step);
      begin_run_slice(
          window.steps == 1 ? "step " + first : "steps " + first + " to " + std::to_string(last),
          "stretch", window.begin_ns, window.end_ns);
      text_ << R"("patches":)" << window.end_patch - window.first_patch << R"(,"phases":)"
            << window.end_phase - window.first_phase << "}}";
    }
  }
  void write_spans() {
    for (const amr::TraceSpan& span : trace_.spans) {
      begin_run_slice(span.what, "between", span.begin_ns, span.end_ns);
      text_ << R"("before base step":)" << span.base_step << R"(,"in loops us":)";
      text_.microseconds(span.loops_ns) << "}}";
    }
  }

  /// Appends the name of a piece's patch, as "L2 (12, 34)".
  void append_name(std::uint32_t piece) {
    const amr::PatchId& patch = trace_.patches[trace_.pieces[piece].patch];
    text_ << "L" << patch.level << " (" << patch.i << ", " << patch.j << ")";
  }

  void write_piece(std::uint32_t at) {
    const amr::TracePiece& piece = trace_.pieces[at];
    const amr::TracePhase& phase = trace_.phases[piece.phase];
    const std::string_view kind = to_string(phase.kind);
    begin_event("X", piece, piece.begin_ns) << R"(,"dur":)";
    text_.microseconds(piece.end_ns - piece.begin_ns) << R"(,"name":")";
    append_name(at);
    text_ << R"(","cat":")" << kind << R"(","args":{"kind":")" << kind << R"(","base step":)"
          << phase.base_step << R"(,"number":)" << phase.number << R"(,"waited us":)";
    text_.microseconds(waits_[at]);
    if (!trace_.blocks.empty()) text_ << R"(,"block":)" << trace_.blocks[piece.patch];
    if (piece.awaited != amr::kNoPiece) {
      text_ << R"(,"cause":")" << to_string(piece.cause) << R"(","awaited":")";
      append_name(piece.awaited);
      text_ << "\"";
    }
    text_ << "}}";
    if (piece.steals > 0) {
      begin_event("i", piece, piece.begin_ns)
          << R"(,"name":"steal","s":"t","args":{"threads":)" << piece.steals << "}}";
    }
    if (piece.awaited != amr::kNoPiece) write_arrow(piece, trace_.pieces[piece.awaited]);
  }

  /// An arrow begins within the slice that it comes from: a viewer takes a slice to be over at its
  /// end, and would take the next one.
  void write_arrow(const amr::TracePiece& to, const amr::TracePiece& from) {
    const std::int64_t begin = std::min(from.end_ns - 1, to.begin_ns);
    if (begin < from.begin_ns) return;
    begin_event("s", from, begin) << R"(,"name":"awaited","cat":")" << to_string(to.cause)
                                  << R"(","id":)" << arrows_ << "}";
    begin_event("f", to, to.begin_ns) << R"(,"bp":"e","name":"awaited","cat":")"
                                      << to_string(to.cause) << R"(","id":)" << arrows_ << "}";
    ++arrows_;
  }

  /// A value over time, written whenever it changes: of several at one moment the last, as viewers
  /// want it.
  struct Counter {
    std::string_view name;
    std::string_view unit;
    std::int64_t written = -1;
    std::int64_t time_ns = -1;  ///< of what is yet to be written
    std::int64_t value = -1;
  };

  void note(Counter& counter, std::int64_t time_ns, std::int64_t value) {
    if (counter.time_ns != time_ns) write(counter);
    counter.time_ns = time_ns;
    counter.value = value;
  }

  void write(Counter& counter) {
    if (counter.value == counter.written) return;
    counter.written = counter.value;
    begin_event("C", kWorkers, row_of(0)) << R"(,"ts":)";
    text_.microseconds(counter.time_ns) << R"(,"name":")" << counter.name << R"(","args":{")"
                                        << counter.unit << "\":" << counter.value << "}}";
  }

  /// No thread is ready when a window has ended.
  void write_counters() {
    std::vector<std::int64_t> ready(static_cast<std::size_t>(trace_.workers), 0);
    Counter all_ready{"ready threads", "threads"};
    Counter in_flight{"I/O in flight", "operations"};
    auto window = trace_.windows.begin();
    const auto end_windows_until = [&](std::int64_t time_ns) {
      for (; window != trace_.windows.end() && window->end_ns <= time_ns; ++window) {
        std::fill(ready.begin(), ready.end(), 0);
        if (all_ready.value > 0) note(all_ready, window->end_ns, 0);
      }
    };
    for (const std::uint32_t at : order_) {
      const amr::TracePiece& piece = trace_.pieces[at];
      end_windows_until(piece.begin_ns);
      if (piece.runnable >= 0) {
        ready[static_cast<std::size_t>(piece.worker)] = piece.runnable;
        note(all_ready, piece.begin_ns,
             std::accumulate(ready.begin(), ready.end(), std::int64_t{0}));
      }
      if (piece.io_in_flight >= 0) note(in_flight, piece.begin_ns, piece.io_in_flight);
    }
    end_windows_until(trace_.end_ns);
    write(all_ready);
    write(in_flight);
  }

  ChunkedText text_;
  const amr::Trace& trace_;
  std::vector<std::uint32_t> order_;
  std::vector<std::int64_t> waits_;
  std::uint64_t arrows_ = 0;
  bool first_ = true;
};

}  // namespace

void write_chrome_trace(std::ostream& out, const amr::Trace& trace) {
  ChromeWriter(out, trace).write();
}

}  // namespace kumiko::io
