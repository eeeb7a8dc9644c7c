#include <algorithm>
#include <new>

#include <kumiko/amr/patch_pool.hpp>

namespace kumiko::amr {

namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kValuesPerLine = kCacheLine / sizeof(double);

}  // namespace

void PatchPool::AlignedDelete::operator()(double* memory) const {
  ::operator delete[](memory, std::align_val_t{kCacheLine});
}

PatchPool::PatchPool(std::size_t values_per_block)
    : block_values_((values_per_block + kValuesPerLine - 1) / kValuesPerLine * kValuesPerLine) {}

double* PatchPool::acquire() {
  if (free_.empty()) {
    const std::size_t values = block_values_ * kBlocksPerSlab;
    slabs_.emplace_back(static_cast<double*>(
        ::operator new[](values * sizeof(double), std::align_val_t{kCacheLine})));
    free_.reserve(slabs_.size() * kBlocksPerSlab);
    double* const slab = slabs_.back().get();
    // Lowest addresses last, so that they are handed out first.
    for (std::size_t block = kBlocksPerSlab; block-- > 0;) {
      free_.push_back(slab + block * block_values_);
    }
  }
  double* const block = free_.back();
  free_.pop_back();
  return block;
}

std::size_t PatchPool::bytes(std::size_t blocks) const {
  const std::size_t slabs = std::max(slabs_.size(), (blocks + kBlocksPerSlab - 1) / kBlocksPerSlab);
  return slabs * kBlocksPerSlab * block_values_ * sizeof(double);
}

}  // namespace kumiko::amr
