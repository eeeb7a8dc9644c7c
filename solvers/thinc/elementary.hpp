// exp and log in plain arithmetic, so that loops become vectors on every instruction set and give
// the same bits on each.
#pragma once

#include <cstdint>

namespace kumiko::solvers::thinc {

namespace {

/// exp(x), |x| <= 700, to about 1e-15 of itself: 2ⁿ times Taylor's polynomial on |r| <= ln(2)/2.
inline double exponential(double x) {
  constexpr double kRound = 0x1.8p52;  // adding it leaves n in the lowest bits
  constexpr double kLn2High = 0x1.62e42feep-1;
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  const double shifted = x * 0x1.71547652b82fep0 + kRound;
  const double n = shifted - kRound;
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double factorial = 6227020800.0;  // 13!, exact as all below it
  double sum = 1.0 / factorial;
#pragma GCC unroll 16
  for (int k = 13; k > 0; --k) {
    factorial /= k;
    sum = sum * r + 1.0 / factorial;
  }
  const std::uint64_t power = __builtin_bit_cast(std::uint64_t, shifted) << 52;
  constexpr std::uint64_t kOne = 0x3ff0000000000000;
  return sum * __builtin_bit_cast(double, power + kOne);
}

/// log(x) of a normal x > 0, to about 1e-16 absolute where |log x| <= 1: 2 atanh((m-1)/(m+1)) of
/// the mantissa m between the roots of 1/2 and 2, and the exponent's share.
inline double logarithm(double x) {
  constexpr std::uint64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
  constexpr std::uint64_t kBias = std::uint64_t{1024} << 52;  // keeps the exponent positive
  constexpr std::uint64_t kTwoTo52 = 0x4330000000000000;
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, x);
  const std::uint64_t exponent = (bits - kRootOfHalf + kBias) >> 52;
  const double n = __builtin_bit_cast(double, exponent | kTwoTo52) - (0x1p52 + 1024.0);
  const double m = __builtin_bit_cast(double, bits - (exponent << 52) + kBias);
  const double f = (m - 1.0) / (m + 1.0);
  const double square = f * f;
  double sum = 1.0 / 21.0;
#pragma GCC unroll 16
  for (int k = 19; k > 0; k -= 2) sum = sum * square + 1.0 / k;
  return n * kLn2 + 2.0 * f * sum;
}

}  // namespace

}  // namespace kumiko::solvers::thinc
