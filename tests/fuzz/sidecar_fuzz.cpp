// Reads sidecars whose bytes have been changed at random, and finds no crash, no hang and no leak.
// What is believed can be written again.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <kumiko/io/checkpoint.hpp>

#include "state_fixture.hpp"

namespace kumiko::io::test {
namespace {

/// A checkpoint, and its sidecar, where memory is the disk.
class Pair {
 public:
  Pair() {
    const auto hierarchy = example_hierarchy();
    write_with(file_, example_checkpoint(*hierarchy), hierarchy->geometry());
    read_ = read_checkpoint(file_);
    std::ifstream stream(sidecar_of(file_), std::ios::binary);
    written_ = {std::istreambuf_iterator<char>(stream), {}};
  }
  ~Pair() {
    std::filesystem::remove(sidecar_of(file_));
    std::filesystem::remove(file_);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  const std::string& written() const { return written_; }

  /// Whether the bytes are taken for the checkpoint's sidecar.
  bool believes(const std::string& bytes) {
    std::ofstream(sidecar_of(file_), std::ios::binary) << bytes;
    Checkpoint checkpoint{{}, {read_->run.mesh}};
    checkpoint.run.step = read_->run.step;
    try {
      read_sidecar(file_, checkpoint);
    } catch (const SidecarError&) {
      return false;
    }
    return !sidecar_json(checkpoint).empty();
  }

 private:
  std::filesystem::path file_ =
      "/dev/shm/kumiko-sidecar-fuzz-" + std::to_string(::getpid()) + ".hdf";
  std::optional<Checkpoint> read_;
  std::string written_;
};

Pair& pair() {
  static Pair the_pair;
  return the_pair;
}

}  // namespace
}  // namespace kumiko::io::test

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  using namespace kumiko::io::test;
  // What nobody has changed must be believed.
  if (!pair().believes(pair().written())) __builtin_trap();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kumiko::io::test::pair().believes({reinterpret_cast<const char*>(data), size});
  return 0;
}

/// Begins with the sidecar as it was written.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned) {
  const std::string& written = kumiko::io::test::pair().written();
  if (size < written.size() / 2 && written.size() <= most) {
    size = written.copy(reinterpret_cast<char*>(data), most);
  }
  return LLVMFuzzerMutate(data, size, most);
}
