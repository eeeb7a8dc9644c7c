// Rows of cells and faces that kernels work on. All of it is private to the file that includes it.
#pragma once

#include <cstddef>

// Says of the loop that follows that no iteration reads what another writes.
#if defined(__GNUC__) && !defined(__clang__)
#define KUMIKO_INDEPENDENT _Pragma("GCC ivdep")
#else
#define KUMIKO_INDEPENDENT
#endif

namespace kumiko::solvers::flux_form {

namespace {

constexpr int kCells = 16;

/// Rows are worked on in whole vectors of up to four values: what lies past those that are needed
/// is computed from the memory there and not used.
constexpr int whole_vectors(int count) { return (count + 3) / 4 * 4; }

/// Values of cells or faces in rows, worked on one row after the other: what a loop has just stored
/// is not read at other offsets before it has left the store buffer.
template <int Width, int Rows>
struct Rectangle {
  static constexpr std::ptrdiff_t kStride = Width;
  double values[(Rows * Width) + 4];
  double* row(int j) { return values + j * Width; }
};

inline double magnitude(double v) { return v >= 0.0 ? v : -v; }

/// Donor-cell fluxes of a row of faces.
/// \param u     the cells above the faces
/// \param step  from a cell to the next across the face
template <int Count>
void donor_row(const double* u, std::ptrdiff_t step, const double* v, double* __restrict flux) {
  KUMIKO_INDEPENDENT
  for (int i = 0; i < Count; ++i) {
    const double below = u[i - step];
    const double above = u[i];
    flux[i] = v[i] * (v[i] >= 0.0 ? below : above);
  }
}

/// u and half of what a flow in advective form brings to it.
/// \param in, out    fluxes of the lower and of the upper face
/// \param vin, vout  their Courant numbers
template <int Count>
void half_row(const double* u, const double* in, const double* out, const double* vin,
              const double* vout, double* __restrict half) {
  KUMIKO_INDEPENDENT
  for (int i = 0; i < Count; ++i) {
    half[i] = u[i] + 0.5 * ((in[i] - out[i]) + u[i] * (vout[i] - vin[i]));
  }
}

}  // namespace

}  // namespace kumiko::solvers::flux_form
