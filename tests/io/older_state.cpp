// Copies a checkpoint as an earlier version wrote it: `older_state FROM TO CONFIGURATION.toml`.
#include <cstdio>

#include "older_layout.hpp"
#include "text/whole_file.hpp"

int main(int argc, char** argv) {
  using namespace kumiko;
  if (argc != 4) {
    std::fprintf(stderr, "usage: older_state FROM TO CONFIGURATION.toml\n");
    return 2;
  }
  io::Checkpoint checkpoint = io::read_checkpoint(argv[1]);
  io::read_sidecar(argv[1], checkpoint);
  std::filesystem::copy_file(argv[1], argv[2]);
  io::test::make_older(argv[2], checkpoint, io::read_whole_file(argv[3]));
  return 0;
}
