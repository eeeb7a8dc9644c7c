#include <kumiko/amr/finite_values.hpp>
#include <kumiko/amr/instruction_set.hpp>

#include "problem/finite_kernel.hpp"

namespace kumiko::amr {

bool are_finite(std::span<const double> values) {
  static const FiniteKernel kernel = select(&finite_baseline, &finite_avx2, &finite_avx512);
  return kernel(values.data(), values.size());
}

}  // namespace kumiko::amr
