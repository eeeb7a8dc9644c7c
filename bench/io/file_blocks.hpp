// The plan of the file benchmark, its file, and the check of what was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "support/arguments.hpp"

namespace kumiko::bench::io {

/// What the file benchmark writes: `writers` threads write `rounds` blocks each, one after the
/// other, every block at its own place of one new file.
struct FilePlan {
  static constexpr std::size_t kBlock = std::size_t{64} * 1024;

  explicit FilePlan(Arguments& arguments);

  std::size_t bytes() const noexcept { return writers * rounds * kBlock; }
  std::int64_t offset(std::size_t writer, std::size_t round) const noexcept {
    return static_cast<std::int64_t>((round * writers + writer) * kBlock);
  }

  std::string folder;
  std::size_t writers;
  std::size_t rounds;
};

/// A file without a name, which goes with the process. What it must hold in the end is known.
class BlockFile {
 public:
  explicit BlockFile(const FilePlan& plan);
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;
  ~BlockFile();

  int descriptor() const noexcept { return descriptor_; }

  /// What a writer writes in every round.
  std::span<const std::byte> block(std::size_t writer) const noexcept;

  /// \throws std::runtime_error if a block is not what its writer wrote.
  void check() const;

 private:
  const FilePlan& plan_;
  std::vector<std::byte> blocks_;
  int descriptor_;
};

/// Times write(), which writes all, and sync(), which waits until all is on the device; checks the
/// file and prints the report.
void measure_writes(const FilePlan& plan, const BlockFile& file, const std::function<void()>& write,
                    const std::function<void()>& sync);

}  // namespace kumiko::bench::io
