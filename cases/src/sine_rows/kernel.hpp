// sin²(πx) and sin(2πx) of many numbers, compiled once for each instruction set.
#pragma once

#include <cstddef>

namespace kumiko::cases {

/// \param periods  that a unit of x has
/// \param squared, doubled  as SineForms of periods × x; they overlap nothing
using SineRow = void (*)(const double* x, std::size_t count, double periods, double* squared,
                         double* doubled);

/// All three give the bits of sine_forms().
void sine_row_baseline(const double* x, std::size_t count, double periods, double* squared,
                       double* doubled);
void sine_row_avx2(const double* x, std::size_t count, double periods, double* squared,
                   double* doubled);
void sine_row_avx512(const double* x, std::size_t count, double periods, double* squared,
                     double* doubled);

}  // namespace kumiko::cases
