// Sines and cosines in plain arithmetic: the same bits everywhere, which library calls do not give.
#pragma once

#include <array>
#include <cstddef>
#include <numbers>

namespace kumiko::cases {

/// 1/k! with alternating signs for k = first, first + 2, ...: Taylor coefficients of cos or sin.
template <std::size_t Count>
constexpr std::array<double, Count> taylor(int first) {
  std::array<double, Count> coefficients{};
  double term = 1.0;
  for (int k = 2; k <= first; ++k) term /= k;
  for (std::size_t n = 0; n < Count; ++n) {
    coefficients[n] = term;
    const int k = first + 2 * static_cast<int>(n);
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
  constexpr std::array<double, 11> kSine = taylor<11>(1);
  constexpr std::array<double, 12> kCosine = taylor<12>(0);
  // Adding and taking away 1.5 × 2⁵² rounds to the nearest integer.
  constexpr double kRound = 0x1.8p52;
  const double angle = std::numbers::pi * (x - ((x + kRound) - kRound));
  const double square = angle * angle;
  double sine = kSine[10];
  for (std::size_t n = 10; n-- > 0;) sine = sine * square + kSine[n];
  double cosine = kCosine[11];
  for (std::size_t n = 11; n-- > 0;) cosine = cosine * square + kCosine[n];
  sine *= angle;
  return {sine * sine, 2.0 * sine * cosine};
}

}  // namespace kumiko::cases
