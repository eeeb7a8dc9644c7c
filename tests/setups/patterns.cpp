// A case for set-ups of all kinds: patterns in a flow, in plain arithmetic, so that its bits are
// the same on every machine.
#include <array>
#include <cmath>
#include <string>

#include <kumiko/plugin/plugin.hpp>

namespace {

namespace amr = kumiko::amr;

double frac(double x) { return x - std::floor(x); }

/// Smooth waves of period 1 and height -1 .. 1, made of parabolas.
double wave(double x) {
  const double half = frac(2.0 * x);
  const double arch = 4.0 * half * (1.0 - half);
  return frac(x) < 0.5 ? arch : -arch;
}

amr::BoundaryKind kind_of(const std::string& name) {
  if (name == "periodic") return amr::BoundaryKind::kPeriodic;
  if (name == "outflow") return amr::BoundaryKind::kOutflow;
  if (name == "reflecting") return amr::BoundaryKind::kReflecting;
  if (name == "prescribed") return amr::BoundaryKind::kPrescribed;
  return amr::BoundaryKind::kFixedValue;
}

/// Carries its components, each with a height of its own, by a wind that may turn and come and go.
class Patterns final : public amr::Case {
 public:
  static amr::Description describe() {
    const std::vector<std::string> kinds = {"periodic", "fixed", "outflow", "reflecting",
                                            "prescribed"};
    return {"patterns",
            "patterns in a flow, for set-ups of all kinds",
            {amr::choice("shape", {"block", "slab", "hill", "waves", "empty"}, "block", "at first"),
             amr::choice("x", kinds, "periodic", "left and right sides"),
             amr::choice("y", kinds, "periodic", "lower and upper sides"),
             {"width", 1.0, "of the domain", 0.1, 10.0},
             {"height", 1.0, "of the domain", 0.1, 10.0},
             {"wind_x", 0.75, "speed", -2.0, 2.0},
             {"wind_y", -0.5, "speed", -2.0, 2.0},
             {"turn", 0.0, "speed of rotation about the middle", -2.0, 2.0},
             {"rate", 0.0, "periods of the wind; 0: it is steady", 0.0, 10.0},
             {"phase", 0.0, "of the wind's period at first", 0.0, 1.0},
             {"size", 1.0, "of the values", 1e-300, 1e300},
             {"components", std::int64_t{1}, "each a tenth of the one before", 1, 4},
             amr::choice("flow", {"stream", "velocity"}, "stream", "what the case knows of it")}};
  }

  explicit Patterns(const amr::ParameterSet& p)
      : shape_(p.text("shape")),
        x_(kind_of(p.text("x"))),
        y_(kind_of(p.text("y"))),
        extent_{p.number("width"), p.number("height")},
        wind_{p.number("wind_x"), p.number("wind_y")},
        turn_(p.number("turn")),
        rate_(p.number("rate")),
        phase_(p.number("phase")),
        size_(p.number("size")),
        components_(static_cast<int>(p.integer("components"))),
        knows_stream_function_(p.text("flow") == "stream") {}

  amr::Extent extent() const override { return extent_; }
  amr::Boundaries boundaries() const override { return {x_, y_, 0.25 * size_}; }
  double end_time() const override { return 1.0; }
  int components() const override { return components_; }
  bool steady_velocity() const override { return rate_ == 0.0; }
  void initial(amr::Points points, int component, std::span<double> values) const override {
    fill(points, component, 0.0, shape_, values);
  }
  void boundary_values(amr::Side, amr::Points points, int component, double time,
                       std::span<double> values) const override {
    fill(points, component, time, shape_ == "empty" ? "hill" : shape_, values);
  }
  void velocity(amr::Points points, double time, amr::Vectors velocity) const override {
    const double factor = strength(time);
    evaluate(points, velocity, [&](double x, double y) {
      return std::array{factor * (wind_[0] - turn_ * (y - 0.5 * extent_.y)),
                        factor * (wind_[1] + turn_ * (x - 0.5 * extent_.x))};
    });
  }
  bool stream_function(amr::Points points, double time, std::span<double> values) const override {
    if (!knows_stream_function_) return false;
    const double factor = strength(time);
    return evaluate(points, values, [&](double x, double y) {
      const double dx = x - 0.5 * extent_.x;
      const double dy = y - 0.5 * extent_.y;
      return factor * ((wind_[0] * y - wind_[1] * x) - 0.5 * turn_ * (dx * dx + dy * dy));
    });
  }

 private:
  double strength(double time) const { return rate_ == 0.0 ? 1.0 : wave(rate_ * time + phase_); }

  void fill(amr::Points points, int component, double time, const std::string& shape,
            std::span<double> values) const {
    double height = size_;
    for (int c = 0; c < component; ++c) height *= 0.1;
    const double shift = 0.15 * component;
    evaluate(points, values, [&](double x, double y) {
      const double u = (x - wind_[0] * time) / extent_.x + shift;
      const double v = (y - wind_[1] * time) / extent_.y - shift;
      return height * value(shape, u, v);
    });
  }

  static double value(const std::string& shape, double u, double v) {
    if (shape == "empty") return 0.0;
    if (shape == "waves") return 0.5 + 0.25 * (wave(u) + wave(v));
    const double du = frac(u) - 0.4;
    const double dv = frac(v) - 0.6;
    if (shape == "slab") return du > -0.15 && du < 0.1 ? 1.0 : 0.0;
    if (shape == "block") return du > -0.15 && du < 0.1 && dv > -0.1 && dv < 0.2 ? 1.0 : 0.0;
    const double square = 1.0 + (du * du + dv * dv) / 0.01;
    return 1.0 / (square * square);
  }

  std::string shape_;
  amr::BoundaryKind x_;
  amr::BoundaryKind y_;
  amr::Extent extent_;
  std::array<double, 2> wind_;
  double turn_;
  double rate_;
  double phase_;
  double size_;
  int components_;
  bool knows_stream_function_;
};

}  // namespace

KUMIKO_PLUGIN(Patterns)
