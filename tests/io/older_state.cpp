// Copies a checkpoint as an earlier version wrote it: `older_state FROM TO CONFIGURATION.toml`.
#include <cstdio>

#include "config/text_file.hpp"
#include "older_layout.hpp"

int main(int argc, char** argv) {
  using namespace kumiko;
  if (argc != 4) {
    std::fprintf(stderr, "usage: older_state FROM TO CONFIGURATION.toml\n");
    return 2;
  }
  io::Checkpoint checkpoint = io::read_checkpoint(argv[1]);
  io::read_sidecar(argv[1], checkpoint);
  std::filesystem::copy_file(argv[1], argv[2]);
  io::test::make_older(argv[2], checkpoint, io::read_text_file(argv[3]));
  return 0;
}
