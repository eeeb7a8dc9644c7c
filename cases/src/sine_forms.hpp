// Sines and cosines in plain arithmetic: the same bits everywhere, which library calls do not give.
// All of it is private to the file that includes it, which may be compiled for any instruction set.
#pragma once

namespace kumiko::cases {

namespace {

template <int Count>
struct Coefficients {
  double values[Count];
};

/// 1/k! with alternating signs for k = first, first + 2, ...: Taylor coefficients of cos or sin.
template <int Count>
constexpr Coefficients<Count> taylor(int first) {
  Coefficients<Count> coefficients{};
  double term = 1.0;
  for (int k = 2; k <= first; ++k) term /= k;
  for (int n = 0; n < Count; ++n) {
    coefficients.values[n] = term;
    const int k = first + 2 * n;
    term /= -1.0 * (k + 1) * (k + 2);
  }
  return coefficients;
}

/// sin²(πx) and sin(2πx), which have period 1.
struct SineForms {
  double squared;
  double doubled;

  /// cos(2πx).
  double cosine() const { return 1.0 - 2.0 * squared; }
};

/// Loops over points become vectors without a vector library. Degrees 21 and 22 leave 2e-18 at
/// |πr| = π/2. Requires |x| < 2⁵¹.
inline SineForms sine_forms(double x) {
  constexpr double kPi = 0x1.921fb54442d18p+1;
  constexpr Coefficients<11> kSine = taylor<11>(1);
  constexpr Coefficients<12> kCosine = taylor<12>(0);
  // Adding and taking away 1.5 × 2⁵² rounds to the nearest integer.
  constexpr double kRound = 0x1.8p52;
  const double angle = kPi * (x - ((x + kRound) - kRound));
  const double square = angle * angle;
  double sine = kSine.values[10];
#pragma GCC unroll 16
  for (int n = 9; n >= 0; --n) sine = sine * square + kSine.values[n];
  double cosine = kCosine.values[11];
#pragma GCC unroll 16
  for (int n = 10; n >= 0; --n) cosine = cosine * square + kCosine.values[n];
  sine *= angle;
  return {sine * sine, 2.0 * sine * cosine};
}

}  // namespace

}  // namespace kumiko::cases
