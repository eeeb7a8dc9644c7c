#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include <kumiko/solvers/plugin.hpp>

#include "bell.hpp"

namespace kumiko::cases {

namespace {

using amr::Points;
using amr::Vectors;

constexpr double kX = 0.5;
constexpr double kY = 0.75;
constexpr double kRadius = 0.15;

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
};

/// Plain arithmetic, so that loops over points become vectors without a vector library. Degrees 21
/// and 22 leave 2e-18 at |πr| = π/2. Requires |x| < 2⁵¹.
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

class Vortex final : public amr::Case {
 public:
  static amr::Description describe() {
    amr::ParameterSpec initial{"initial", std::string("disk"),
                               "what is drawn out: the disk of the literature, or a Gaussian"};
    initial.choices = {"disk", "gaussian"};
    return {"vortex",
            "a single vortex that draws out a disk and, reversed, brings it back",
            {{"period", 8.0, "T: the whole run's time, reversal at its half", 1e-3, 1000.0},
             initial,
             {"sigma", 0.05, "standard deviation of the Gaussian", 1e-3, 1.0}}};
  }

  explicit Vortex(const amr::ParameterSet& parameters)
      : period_(parameters.number("period")),
        disk_(parameters.text("initial") == "disk"),
        bell_{kX, kY, parameters.number("sigma")} {}

  double end_time() const override { return period_; }

  void initial(Points points, int, std::span<double> values) const override {
    if (!disk_) return bell_.sample(points, values);
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double dx = points.x[at] - kX;
      const double dy = points.y[at] - kY;
      values[at] = dx * dx + dy * dy <= kRadius * kRadius ? 1.0 : 0.0;
    }
  }

  void velocity(Points points, double time, Vectors velocity) const override {
    const double strength = std::cos(std::numbers::pi * (time / period_));
    for (std::size_t at = 0; at < points.size(); ++at) {
      const SineForms x = sine_forms(points.x[at]);
      const SineForms y = sine_forms(points.y[at]);
      velocity.x[at] = strength * (x.squared * y.doubled);
      velocity.y[at] = -strength * (y.squared * x.doubled);
    }
  }

  bool stream_function(Points points, double time, std::span<double> values) const override {
    const double strength = std::cos(std::numbers::pi * (time / period_)) / std::numbers::pi;
    for (std::size_t at = 0; at < points.size(); ++at) {
      values[at] = strength * (sine_forms(points.x[at]).squared * sine_forms(points.y[at]).squared);
    }
    return true;
  }

  bool exact(Points points, int component, double time, std::span<double> values) const override {
    constexpr double kSlack = 1e-9;
    const double turn = time / period_;
    if (std::abs(turn) > kSlack && std::abs(turn - 1.0) > kSlack) return false;
    initial(points, component, values);
    return true;
  }

 private:
  double period_;
  bool disk_;
  Bell bell_;
};

}  // namespace

}  // namespace kumiko::cases

KUMIKO_PLUGIN(kumiko::cases::Vortex)
