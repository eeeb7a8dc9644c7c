// Allocates the memory of patches: equal blocks, aligned, recycled.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace kumiko::amr {

/// Hands out blocks of a fixed number of doubles, aligned to a cache line. Blocks are carved from
/// slabs that live as long as the pool. Not thread-safe: the hierarchy changes on one thread.
class PatchPool {
 public:
  explicit PatchPool(std::size_t values_per_block);

  /// An uninitialised block. Amortised O(1). Throws std::bad_alloc.
  double* acquire();
  void release(double* block) { free_.push_back(block); }
  /// The bytes of all slabs; with an argument, the bytes that they would have if that many blocks
  /// were in use, but not less than now.
  std::size_t bytes(std::size_t blocks = 0) const;

 private:
  static constexpr std::size_t kBlocksPerSlab = 16;
  struct AlignedDelete {
    void operator()(double* memory) const;
  };

  std::size_t block_values_;  ///< rounded up to whole cache lines
  std::vector<std::unique_ptr<double[], AlignedDelete>> slabs_;
  std::vector<double*> free_;
};

}  // namespace kumiko::amr
