#include "transfer/sibling_copy.hpp"

#include <cstddef>
#include <cstring>

#include <kumiko/amr/patch_id.hpp>

namespace kumiko::amr {

static_assert(kAxes == 2, "copies go row by row");

namespace {

template <int Ghosts, int Dx, int Dy>
void copy_side(const double* __restrict from, double* __restrict to) {
  constexpr std::ptrdiff_t kStride = kPatchSize + 2 * Ghosts;
  constexpr int kFirstI = Dx < 0 ? -Ghosts : (Dx > 0 ? kPatchSize : 0);
  constexpr int kFirstJ = Dy < 0 ? -Ghosts : (Dy > 0 ? kPatchSize : 0);
  constexpr int kWidth = Dx == 0 ? kPatchSize : Ghosts;
  constexpr int kHeight = Dy == 0 ? kPatchSize : Ghosts;
  for (int j = kFirstJ; j < kFirstJ + kHeight; ++j) {
    std::memcpy(to + j * kStride + kFirstI,
                from + (j - Dy * kPatchSize) * kStride + (kFirstI - Dx * kPatchSize),
                kWidth * sizeof(double));
  }
}

template <int Ghosts>
constexpr std::array<SideCopy, 8> all_sides() {
  return {copy_side<Ghosts, -1, -1>, copy_side<Ghosts, 0, -1>, copy_side<Ghosts, 1, -1>,
          copy_side<Ghosts, -1, 0>,  copy_side<Ghosts, 1, 0>,  copy_side<Ghosts, -1, 1>,
          copy_side<Ghosts, 0, 1>,   copy_side<Ghosts, 1, 1>};
}

constexpr std::array<std::array<SideCopy, 8>, 8> kCopies = {
    all_sides<1>(), all_sides<2>(), all_sides<3>(), all_sides<4>(),
    all_sides<5>(), all_sides<6>(), all_sides<7>(), all_sides<8>()};

}  // namespace

const std::array<SideCopy, 8>& side_copies(int ghosts) {
  return kCopies[static_cast<std::size_t>(ghosts - 1)];
}

}  // namespace kumiko::amr
