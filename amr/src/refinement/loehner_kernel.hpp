// Löhner's indicator on a component of a patch, compiled once for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kumiko::amr {

/// What the indicator reads of a component of a field, and its constants.
struct LoehnerArguments {
  const double* origin;   ///< the first interior point; the first ghost layer is filled
  std::ptrdiff_t stride;  ///< from a row to the next one
  double delta;           ///< of the filter
  double floor;           ///< of the denominator, in the field's units
  double limit;           ///< rows in which no curvature exceeds it are passed over
};

/// Raises a patch's largest indicators to this component's in the rows that are not passed over.
/// \return whether there are any
using LoehnerKernel = bool (*)(const LoehnerArguments& of, double* largest);

/// All three give the same bits. Cost: 9 operations a point; in rows that are not passed over 34
/// and two divisions more. In vectors.
bool loehner_rows_baseline(const LoehnerArguments& of, double* largest);
bool loehner_rows_avx2(const LoehnerArguments& of, double* largest);
bool loehner_rows_avx512(const LoehnerArguments& of, double* largest);

}  // namespace kumiko::amr
