// The loop of the peak; included by one source file for each width, which defines KUMIKO_FMA_LOOP
// and KUMIKO_FMA_BYTES. No library code, as in the kernels: an inline function shared with other
// files could end up in them with instructions that their processor lacks.
#include "fma_peak.hpp"

namespace kumiko::bench {

namespace {

using Vector = double __attribute__((vector_size(KUMIKO_FMA_BYTES)));
constexpr int kLanes = KUMIKO_FMA_BYTES / static_cast<int>(sizeof(double));
/// Two units with a latency of 4 or 5 cycles want 10 chains; with 12 and the two constants the
/// registers suffice, of which AVX2 has 16.
constexpr int kChains = 12;

inline Vector all(double value) { return Vector{} + value; }

}  // namespace

/// One instruction for each chain and round.
double KUMIKO_FMA_LOOP(long rounds) {
  const Vector factor = all(0.999999);  // the numbers stay near 1: nothing is denormal
  const Vector term = all(0.000001);
  // Names instead of an array, which g++ would keep in memory; assembly, for no compiler may merge,
  // reorder or drop what is counted.
  Vector a = all(1.0), b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, l = a;
  for (long round = 0; round < rounds; ++round) {
    asm volatile(
        "vfmadd213pd %13, %12, %0\n\t"
        "vfmadd213pd %13, %12, %1\n\t"
        "vfmadd213pd %13, %12, %2\n\t"
        "vfmadd213pd %13, %12, %3\n\t"
        "vfmadd213pd %13, %12, %4\n\t"
        "vfmadd213pd %13, %12, %5\n\t"
        "vfmadd213pd %13, %12, %6\n\t"
        "vfmadd213pd %13, %12, %7\n\t"
        "vfmadd213pd %13, %12, %8\n\t"
        "vfmadd213pd %13, %12, %9\n\t"
        "vfmadd213pd %13, %12, %10\n\t"
        "vfmadd213pd %13, %12, %11"
        : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f), "+v"(g), "+v"(h), "+v"(i), "+v"(j),
          "+v"(k), "+v"(l)
        : "v"(factor), "v"(term));
  }
  return 2.0 * kLanes * kChains * static_cast<double>(rounds);
}

}  // namespace kumiko::bench
