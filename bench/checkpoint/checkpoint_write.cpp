// The same large state on the disk in four ways, in turn: a checkpoint by lightweight threads, its
// bytes by plain write(), its records by the HDF5 library, a compressed checkpoint. Prints the
// seconds of each.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <kumiko/runtime/runtime.hpp>

#include "large_state.hpp"
#include "peers.hpp"
#include "support/arguments.hpp"
#include "support/json_line.hpp"

namespace kumiko::bench {
namespace {

template <class Function>
double seconds_of(Function function) {
  const auto begin = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Way {
  const char* name;
  std::function<void()> write;
};

int run(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const std::filesystem::path folder = arguments.text("folder", ".");
  const auto patches_x = static_cast<int>(arguments.integer("patches_x", 512));
  const long turn = arguments.integer("turn", 0);
  arguments.reject_unknown();
  const auto file = [&](const char* name) { return folder / name; };
  const amr::Geometry geometry = large_geometry(patches_x);
  const io::Checkpoint state = large_state(geometry);
  runtime::Runtime runtime;
  io::write_checkpoint(file("first.hdf"), state, geometry, runtime);
  const std::string bytes = content_of(file("first.hdf"));
  // Every file is new, as a run's are; none always follows the same one.
  std::vector<Way> ways = {
      {"checkpoint_s",
       [&] { io::write_checkpoint(file("checkpoint.hdf"), state, geometry, runtime); }},
      {"plain_s", [&] { write_plain(file("plain"), bytes); }},
      {"library_s", [&] { write_by_library(file("library.hdf"), state); }},
      {"packed_s", [&] {
         io::write_checkpoint(file("packed.hdf"), state, geometry, runtime,
                              io::Compression::kDeflate);
       }}};
  std::rotate(ways.begin(), ways.begin() + turn % static_cast<long>(ways.size()), ways.end());
  JsonLine line;
  for (const Way& way : ways) line.add(way.name, seconds_of(way.write));
  line.add("verify_s", seconds_of([&] { io::verify_checkpoint(file("first.hdf")); }));
  line.add("bytes", bytes.size());
  line.add("packed_bytes", std::filesystem::file_size(file("packed.hdf")));
  line.add("points", state.run.levels.front().values.size());
  line.print();
  return 0;
}

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  try {
    return kumiko::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
