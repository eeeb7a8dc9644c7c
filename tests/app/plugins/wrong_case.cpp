// A case that is right, and with case.fault wrong in one way.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <kumiko/plugin/plugin.hpp>

namespace kumiko::test {

namespace {

using namespace amr;

constexpr double kTwoPi = 2.0 * std::numbers::pi;

/// A value within a slow call, which all threads share: a race that no sanitizer stops at.
std::atomic<double> shared{0.0};
std::atomic<int> calls{0};

/// A wave in a shear flow (U(y) g(t), 0) through sides with prescribed values, periodic in y. Its
/// strength g changes with time.
class WrongCase final : public Case {
 public:
  static Description describe() {
    return {"wrong_case",
            "a wave in a pulsing shear flow",
            {choice("fault",
                    {"none", "stream_sign", "stream_scale", "divergence", "steady", "factor",
                     "displacement", "exact_at_0", "exact_speed", "sides", "seam", "corner", "end",
                     "calls", "batch", "threads", "side_threads", "rest", "jump"},
                    "none", "what is wrong; nothing is with rest and jump")}};
  }
  explicit WrongCase(const ParameterSet& parameters) : fault_(parameters.text("fault")) {}

  Boundaries boundaries() const override {
    const Boundary prescribed{BoundaryKind::kPrescribed, 0.0};
    const Boundary periodic{BoundaryKind::kPeriodic, 0.0};
    return {prescribed, prescribed, periodic, periodic};
  }
  double end_time() const override { return 0.7; }
  bool steady_velocity() const override { return is("steady"); }
  std::optional<double> velocity_factor(double time) const override {
    if (is("steady") || is("rest")) return std::nullopt;
    return strength(time) * (is("factor") && time > 0.3 ? 1.01 : 1.0);
  }
  double unit_factor_time() const override { return 0.0; }

  void initial(Points points, int, std::span<double> values) const override {
    evaluate(points, values, [this](double x, double y) { return wave(x, y); });
    if (is("calls") && calls.fetch_add(1) % 50 == 49) values[0] += 1e-9;
    if (is("batch")) values[0] += 1e-12 * static_cast<double>(points.size());
    if (is("threads")) values[0] = slow(values[0]);
  }
  void velocity(Points points, double time, Vectors velocity) const override {
    evaluate(points, velocity, [this, time](double x, double y) {
      const double along = is("divergence") ? 0.05 * std::sin(kTwoPi * x) : 0.0;
      return std::array{strength(time) * (speed(y) + along), is("rest") ? 0.0 * (x - 0.5) : 0.0};
    });
    if (is("corner") && points.x[0] == 0.0) velocity.y[0] = std::nan("");
  }
  bool stream_function(Points points, double time, std::span<double> values) const override {
    double factor = strength(time);
    if (is("stream_sign")) factor = -factor;
    if (is("stream_scale")) factor *= 1.01;
    if (is("divergence") || is("seam")) return false;
    return evaluate(points, values, [factor](double, double y) {
      return factor * (y - 0.5 / kTwoPi * std::cos(kTwoPi * y));
    });
  }
  bool exact_displacement(Points points, double time, double tau, Vectors values) const override {
    double way = travelled(time) - travelled(time - tau);
    if (is("displacement")) way = -way;
    evaluate(points, values, [this, way](double, double y) {
      return std::array{-way * speed(y), 0.0};
    });
    return true;
  }
  bool exact(Points points, int, double time, std::span<double> values) const override {
    if (is("jump") && time > 0.0) return false;
    const double way = travelled(time) * (is("exact_speed") ? 0.9 : 1.0);
    const double shift = is("exact_at_0") ? 0.01 : 0.0;
    evaluate(points, values,
             [=, this](double x, double y) { return wave(x - way * speed(y) - shift, y); });
    if (is("end") && time == end_time()) values[1] = std::numeric_limits<double>::infinity();
    return true;
  }
  void boundary_values(Side, Points points, int component, double time,
                       std::span<double> values) const override {
    if (is("jump")) return std::fill(values.begin(), values.end(), 5.0);
    exact(points, component, is("sides") ? 0.0 : time, values);
    if (is("side_threads")) values[0] = slow(values[0]);
  }

 private:
  bool is(const char* fault) const { return fault_ == fault; }
  double wave(double x, double y) const {
    const double across = is("jump") ? 0.3 * y : 0.0;
    return std::sin(kTwoPi * x) * (1.0 + 0.5 * std::cos(kTwoPi * y)) + across;
  }
  double speed(double y) const {
    return 1.0 + 0.5 * std::sin(kTwoPi * y) + (is("seam") ? 0.3 * y : 0.0);
  }
  /// At rest it is 0 at the start, where velocities have either sign of 0.
  double strength(double time) const { return wind() + 0.5 * std::sin(kTwoPi * time); }
  double travelled(double time) const {
    return wind() * time + 0.5 * (1.0 - std::cos(kTwoPi * time)) / kTwoPi;
  }
  double wind() const { return is("rest") ? 0.0 : 1.0; }
  /// The value, through what all threads share.
  static double slow(double value) {
    shared.store(value);
    std::this_thread::yield();
    return shared.load();
  }

  std::string fault_;
};

}  // namespace

}  // namespace kumiko::test

KUMIKO_PLUGIN(kumiko::test::WrongCase)
