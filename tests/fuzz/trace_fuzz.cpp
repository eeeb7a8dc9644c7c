// Writes traces of which some values have been changed at random, reads them, exports, replays and
// reports those that are believed, and finds no crash, no hang and no leak. The structure of the
// HDF5 file stays whole.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <kumiko/io/trace_file.hpp>
#include <kumiko/model/schedule_model.hpp>

#include "report/chart.hpp"
#include "report/timeline.hpp"
#include "trace_fixture.hpp"

namespace kumiko::io::test {
namespace {

/// Memory is the disk.
std::filesystem::path mutant_path() {
  return "/dev/shm/kumiko-trace-fuzz-" + std::to_string(::getpid()) + ".hdf";
}

/// The values that change.
std::vector<std::span<std::byte>> values_of(amr::Trace& trace) {
  using std::as_writable_bytes;
  using std::span;
  return {as_writable_bytes(span(trace.patches)),
          as_writable_bytes(span(trace.windows)),
          as_writable_bytes(span(trace.phases)),
          as_writable_bytes(span(trace.pieces)),
          as_writable_bytes(span(trace.successors_begin)),
          as_writable_bytes(span(trace.successors)),
          as_writable_bytes(span(&trace.workers, 1)),
          as_writable_bytes(span(&trace.levels, 1)),
          as_writable_bytes(span(&trace.end_ns, 1)),
          as_writable_bytes(span(&trace.points_x, 1)),
          as_writable_bytes(span(&trace.points_y, 1)),
          as_writable_bytes(span(&trace.spans[1].begin_ns, 1)),
          as_writable_bytes(span(&trace.spans[1].loops_ns, 1)),
          as_writable_bytes(span(trace.spans[1].what))};
}

/// A change: of which values, where, and to what.
struct Change {
  std::uint16_t of;
  std::uint16_t at;
  std::int32_t value;
};

amr::Trace mutant(const std::uint8_t* data, std::size_t size) {
  amr::Trace trace = small_trace();
  const auto values = values_of(trace);
  for (; size >= sizeof(Change); data += sizeof(Change), size -= sizeof(Change)) {
    Change change{};
    std::memcpy(&change, data, sizeof(change));
    const std::span<std::byte> chosen = values[change.of % values.size()];
    const std::size_t at = change.at % (chosen.size() / sizeof(change.value));
    std::memcpy(chosen.data() + at * sizeof(change.value), &change.value, sizeof(change.value));
  }
  return trace;
}

/// What kumiko simulate and kumiko report do with a trace.
void replay_and_report(amr::Trace trace) {
  if (!trace.pieces.empty()) {
    const model::ScheduleModel model(trace, model::estimate_overheads(trace));
    for (const model::ScheduleKind kind : model::kScheduleKinds) {
      for (const int workers : {1, 3}) model.predict(kind, workers);
    }
  }
  viz::ReportRun run;
  run.trace = std::move(trace);
  viz::report::timeline_json(*run.trace);
  viz::report::trace_charts(std::span(&run, 1));
}

void write_read_and_export(const amr::Trace& written) {
  const std::filesystem::path path = mutant_path();
  write_trace(path, written);
  try {
    const amr::Trace trace = read_trace(path);
    std::ostringstream out;
    write_chrome_trace(out, trace);
    write_trace_csv(out, trace);
    replay_and_report(trace);
  } catch (const TraceError&) {  // what the reader refuses
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace kumiko::io::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kumiko::io::test;
  write_read_and_export(mutant(data, size));
  return 0;
}
