// Writes traces of which some values have been changed at random, reads them, exports those that
// are believed, and finds no crash, no hang and no leak. The structure of the HDF5 file stays
// whole.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include <kumiko/io/trace_file.hpp>

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
          as_writable_bytes(span(trace.stretches)),
          as_writable_bytes(span(trace.phases)),
          as_writable_bytes(span(trace.pieces)),
          as_writable_bytes(span(trace.successors_begin)),
          as_writable_bytes(span(trace.successors)),
          as_writable_bytes(span(&trace.workers, 1)),
          as_writable_bytes(span(&trace.levels, 1)),
          as_writable_bytes(span(&trace.end_ns, 1)),
          as_writable_bytes(span(&trace.spans[1].begin_ns, 1))};
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

void write_read_and_export(const amr::Trace& written) {
  const std::filesystem::path path = mutant_path();
  write_trace(path, written);
  try {
    const amr::Trace trace = read_trace(path);
    std::ostringstream out;
    write_chrome_trace(out, trace);
    write_trace_csv(out, trace);
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
