// A sine wave that steepens into a shock.
#include <array>
#include <cmath>
#include <numbers>

#include <kumiko/plugin/plugin.hpp>

namespace kumiko::cases {

namespace {

using amr::Points;

constexpr double kTwoPi = 2.0 * std::numbers::pi;

/// The root s₀ of s₀ + reach sin(2π s₀) = s in [0, 1/2], for s in [0, 1/2]: Newton's method, and
/// bisection where it leaves what encloses the root. Past the shock's birth too there is but one
/// for s < 1/2: the left side rises from 0 to 1/2 or more, and falls to no less than 1/2.
double foot(double s, double reach) {
  double low = 0.0;
  double high = 0.5;
  double root = s;
  for (int iteration = 0; iteration < 100; ++iteration) {
    const double excess = root + reach * std::sin(kTwoPi * root) - s;
    (excess > 0.0 ? high : low) = root;
    const double slope = 1.0 + reach * kTwoPi * std::cos(kTwoPi * root);
    const double newton = root - excess / slope;
    const double next = newton > low && newton < high ? newton : 0.5 * (low + high);
    if (std::abs(next - root) <= 1e-16) return next;
    root = next;
  }
  return root;
}

/// Periodic unit square, u = mean + amplitude sin(2π(x + y)) at the start, for the solver
/// "burgers": ∂u/∂t + ∂(u²/2)/∂x + ∂(u²/2)/∂y = 0. The velocity is 0: it is the solution itself
/// that moves.
///
/// The solution depends on s = x + y alone, w_t + (w²)_s = 0, and is constant along s = s₀ + 2 w t.
/// At t = 1 / (4π amplitude), 0.318 for the default, shocks form along s = 1/2 + 2 mean t (mod 1),
/// and stay there, as the wave is odd about them. exact() is the entropy solution at all times; the
/// default end_time lies after the shocks' birth.
class Burgers final : public amr::Case {
 public:
  static amr::Description describe() {
    return {
        "burgers",
        "a sine wave that steepens into a shock, for the solver burgers",
        {{"mean", 0.5, "mean of the wave", -10.0, 10.0},
         {"amplitude", 0.25, "amplitude of the wave", 0.0, 10.0},
         {"end_time", 0.5, "length of the run; shocks form at 1 / (4 pi amplitude)", 1e-6, 1e6}}};
  }

  explicit Burgers(const amr::ParameterSet& parameters)
      : mean_(parameters.number("mean")),
        amplitude_(parameters.number("amplitude")),
        end_time_(parameters.number("end_time")) {}

  amr::Boundaries boundaries() const override {
    return {amr::BoundaryKind::kPeriodic, amr::BoundaryKind::kPeriodic, 0.0};
  }
  double end_time() const override { return end_time_; }
  amr::Equation equation() const override { return {"burgers"}; }

  void initial(Points points, int, std::span<double> values) const override {
    evaluate(points, values, [this](double x, double y) {
      return mean_ + amplitude_ * std::sin(kTwoPi * (x + y));
    });
  }

  void velocity(Points points, double, amr::Vectors velocity) const override {
    evaluate(points, velocity, [](double, double) { return std::array{0.0, 0.0}; });
  }
  bool steady_velocity() const override { return true; }

  bool exact(Points points, int component, double time, std::span<double> values) const override {
    if (time == 0.0) {
      initial(points, component, values);
      return true;
    }
    return evaluate(points, values, [=, this](double x, double y) {
      const double s = x + y - 2.0 * mean_ * time;
      return mean_ + wave(s - std::floor(s), time);
    });
  }

 private:
  /// u - mean at s in [0, 1) of the frame that moves with the shock, which lies at 1/2.
  double wave(double s, double time) const {
    if (s == 0.5) return 0.0;
    if (s > 0.5) return -wave(1.0 - s, time);
    return amplitude_ * std::sin(kTwoPi * foot(s, 2.0 * amplitude_ * time));
  }

  double mean_;
  double amplitude_;
  double end_time_;
};

}  // namespace

}  // namespace kumiko::cases

KUMIKO_PLUGIN(kumiko::cases::Burgers)
