#include "ghosts/one_sided.hpp"

#include <cstddef>

namespace kumiko::amr {

namespace {

/// The value in front of u[0], u[step], …, by the polynomial through the first four or five.
double value_before(Centring centring, const double* u, std::ptrdiff_t step) {
  const double d0 = u[0] - u[step];
  const double d1 = u[step] - u[2 * step];
  const double d2 = u[2 * step] - u[3 * step];
  if (centring == Centring::kNode) return u[0] + (3.0 * (d0 - d1) + d2);
  const double d3 = u[3 * step] - u[4 * step];
  return u[0] + ((4.0 * (d0 + d2) - 6.0 * d1) - d3);
}

/// The ghosts in front of a row of values, the nearest first: each continues the same polynomial.
/// \param first  the outermost value within the domain
/// \param step   from there into the domain
void continue_outwards(Centring centring, double* first, std::ptrdiff_t step, int ghosts) {
  for (int ghost = 0; ghost < ghosts; ++ghost, first -= step) {
    *(first - step) = value_before(centring, first, step);
  }
}

bool leads_out(unsigned outside, Direction to) {
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    const bool is_it = kDirections[d].dx == to.dx && kDirections[d].dy == to.dy;
    if (is_it) return (outside >> d & 1U) != 0;
  }
  return false;
}

}  // namespace

void fill_one_sided(Centring centring, unsigned outside, PatchView target) {
  const bool left = leads_out(outside, {-1, 0});
  const bool right = leads_out(outside, {1, 0});
  const bool bottom = leads_out(outside, {0, -1});
  const bool top = leads_out(outside, {0, 1});
  const int ghosts = target.ghosts();
  constexpr int kLast = kPatchSize - 1;
  for (int component = 0; component < target.components(); ++component) {
    for (int j = bottom ? 0 : -ghosts; j < kPatchSize + (top ? 0 : ghosts); ++j) {
      if (left) continue_outwards(centring, &target(0, j, component), 1, ghosts);
      if (right) continue_outwards(centring, &target(kLast, j, component), -1, ghosts);
    }
    for (int i = -ghosts; i < kPatchSize + ghosts; ++i) {
      if (bottom) {
        continue_outwards(centring, &target(i, 0, component), target.stride(), ghosts);
      }
      if (top) {
        continue_outwards(centring, &target(i, kLast, component), -target.stride(), ghosts);
      }
    }
  }
}

}  // namespace kumiko::amr
