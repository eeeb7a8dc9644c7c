// The search for values that are not finite, compiled once for each instruction set.
#pragma once

#include <cstddef>

namespace kumiko::amr {

/// \return whether all values are finite
using FiniteKernel = bool (*)(const double* values, std::size_t count);

bool finite_baseline(const double* values, std::size_t count);
bool finite_avx2(const double* values, std::size_t count);
bool finite_avx512(const double* values, std::size_t count);

}  // namespace kumiko::amr
