// Copies a checkpoint with one value that is not a number: `spoil_state FROM TO`. The file is whole
// otherwise, as runs of earlier versions could leave it.
#include <cmath>
#include <cstdio>
#include <limits>

#include <kumiko/io/checkpoint.hpp>
#include <kumiko/runtime/runtime.hpp>

int main(int argc, char** argv) {
  using namespace kumiko;
  if (argc != 3) {
    std::fprintf(stderr, "usage: spoil_state FROM TO\n");
    return 2;
  }
  io::StoredState state = io::read_state(argv[1]);
  state.checkpoint.run.levels.back().values.back() = std::numeric_limits<double>::quiet_NaN();
  runtime::Runtime runtime(runtime::Options{.workers = 1});
  io::write_checkpoint(argv[2], state.checkpoint, state.geometry, runtime);
  return 0;
}
