// Writes traces made by hand, for tests in other languages: trace_files FOLDER.
#include <algorithm>
#include <filesystem>

#include <kumiko/io/trace_file.hpp>

#include "trace_fixture.hpp"

namespace kumiko::io::test {
namespace {

/// Pieces take 4 to 5 us each, but for the last one, which takes a millisecond.
amr::Trace disturbed_trace() {
  amr::Trace trace = long_trace(60, 30);
  amr::TracePiece& last = trace.pieces.back();
  last.end_ns = last.begin_ns + 1'000'000;
  trace.end_ns = std::max(trace.end_ns, last.end_ns);
  trace.windows.back().end_ns = trace.end_ns;
  return trace;
}

}  // namespace
}  // namespace kumiko::io::test

int main(int argc, char** argv) {
  using namespace kumiko::io;
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  write_trace(folder / "small.hdf", test::small_trace());
  write_trace(folder / "long.hdf", test::long_trace(60, 30));
  write_trace(folder / "empty.hdf", test::empty_trace());
  write_trace(folder / "disturbed.hdf", test::disturbed_trace());
  return 0;
}
