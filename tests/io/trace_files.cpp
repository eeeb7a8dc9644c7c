// Writes traces made by hand, for tests in other languages: trace_files FOLDER.
#include <filesystem>

#include <kumiko/io/trace_file.hpp>

#include "trace_fixture.hpp"

int main(int argc, char** argv) {
  using namespace kumiko::io;
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  write_trace(folder / "small.hdf", test::small_trace());
  write_trace(folder / "long.hdf", test::long_trace(60, 30));
  write_trace(folder / "empty.hdf", test::empty_trace());
  return 0;
}
