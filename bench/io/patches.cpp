#include "patches.hpp"

namespace kumiko::bench::io {

namespace {

/// Half-way between u0 and u1, from four equidistant values.
double midpoint(double um, double u0, double u1, double u2) {
  return ((u0 + 0.0625 * (u0 - um)) + 0.5 * (u1 - u0)) - 0.0625 * (u2 - u1);
}

double midpoint_in_x(const double* at) { return midpoint(at[-1], at[0], at[1], at[2]); }

}  // namespace

Patches::Patches() : patches_(kCount) {
  for (std::size_t p = 0; p < kCount; ++p) {
    for (Field& field : patches_[p]) {
      for (std::size_t i = 0; i < field.size(); ++i) {
        field[i] = static_cast<double>((i * 7 + p) % 13) / 13;
      }
    }
  }
}

void Patches::advance(std::size_t index) noexcept {
  for (Field& field : patches_[index]) advance_field(field);
}

void Patches::advance_field(Field& field) noexcept {
  std::array<double, kSize * kSize> next;
  for (std::size_t j = 0; j < kSize; ++j) {
    for (std::size_t i = 0; i < kSize; ++i) {
      const double* const at = &field[(j + kGhosts) * kStride + i + kGhosts];
      next[j * kSize + i] = midpoint(midpoint_in_x(at - kStride), midpoint_in_x(at),
                                     midpoint_in_x(at + kStride), midpoint_in_x(at + 2 * kStride));
    }
  }
  for (std::size_t j = 0; j < kSize; ++j) {
    for (std::size_t i = 0; i < kSize; ++i) {
      field[(j + kGhosts) * kStride + i + kGhosts] = next[j * kSize + i];
    }
  }
}

}  // namespace kumiko::bench::io
