#include "refinement/gradient.hpp"

#include <cmath>
#include <cstddef>

#include "refinement/larger.hpp"

namespace kumiko::amr {

namespace {

void add_row(const double* u, std::ptrdiff_t stride, double* __restrict largest) {
  const double* const below = u - stride;
  const double* const above = u + stride;
  for (int i = 0; i < kPatchSize; ++i) {
    const double along_x =
        larger(std::abs(u[i] - u[i - 1]), larger(std::abs(u[i] - u[i + 1]), largest[i]));
    largest[i] = larger(std::abs(u[i] - below[i]), larger(std::abs(u[i] - above[i]), along_x));
  }
}

}  // namespace

void gradient_indicator(ConstPatchView field, IndicatorField& indicator) {
  indicator.values.fill(0.0);
  for (int component = 0; component < field.components(); ++component) {
    for (int j = 0; j < kPatchSize; ++j) {
      add_row(field.origin(component) + j * field.stride(), field.stride(),
              indicator.values.data() + static_cast<std::ptrdiff_t>(j) * kPatchSize);
    }
  }
}

}  // namespace kumiko::amr
