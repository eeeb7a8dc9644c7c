// The work of an AMR step on small patches, as a load beside I/O.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace kumiko::bench::io {

/// Patches of 16 x 16 points with their ghosts, and the work that an AMR step does on one: each of
/// two fields is replaced by its cubic interpolation half-way between the points; 1 to 2 us.
class Patches {
 public:
  static constexpr std::size_t kCount = 256;

  Patches();

  void advance(std::size_t index) noexcept;

 private:
  static constexpr std::size_t kSize = 16;
  static constexpr std::size_t kGhosts = 2;
  static constexpr std::size_t kStride = kSize + 2 * kGhosts;

  using Field = std::array<double, kStride * kStride>;
  using Patch = std::array<Field, 2>;

  static void advance_field(Field& field) noexcept;

  std::vector<Patch> patches_;
};

}  // namespace kumiko::bench::io
