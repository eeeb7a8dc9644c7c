#include "transfer/sibling_copy.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace kumiko::amr {

static_assert(kAxes == 2, "copies go row by row");

namespace {

template <int Count, int Rows, std::ptrdiff_t Stride>
void copy_region(const double* __restrict from, double* __restrict to) {
  for (int row = 0; row < Rows; ++row) {
    std::memcpy(to + row * Stride, from + row * Stride, Count * sizeof(double));
  }
}

template <int Ghosts>
void copy_reads(const Level& level, std::span<const PlannedRead> reads, State state,
                PatchView target) {
  constexpr std::ptrdiff_t kStride = kPatchSize + 2 * Ghosts;
  for (const PlannedRead& read : reads) {
    const double* from =
        level.read(ReadState::kSame, static_cast<std::size_t>(read.slot)).state(state).data();
    from += read.from;
    double* to = target.data() + read.to;
    for (int component = 0; component < target.components(); ++component) {
      if (read.count == kPatchSize) {
        copy_region<kPatchSize, Ghosts, kStride>(from, to);
      } else if (read.rows == kPatchSize) {
        copy_region<Ghosts, kPatchSize, kStride>(from, to);
      } else {
        copy_region<Ghosts, Ghosts, kStride>(from, to);
      }
      from += kStride * kStride;
      to += kStride * kStride;
    }
  }
}

constexpr std::array<SiblingCopy, 8> kCopies = {copy_reads<1>, copy_reads<2>, copy_reads<3>,
                                                copy_reads<4>, copy_reads<5>, copy_reads<6>,
                                                copy_reads<7>, copy_reads<8>};

}  // namespace

SiblingCopy sibling_copy(int ghosts) { return kCopies[static_cast<std::size_t>(ghosts - 1)]; }

}  // namespace kumiko::amr
