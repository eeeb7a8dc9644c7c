// A channel with an inflow and an outflow.
#include <array>

#include <kumiko/plugin/plugin.hpp>

#include "bell.hpp"

namespace kumiko::cases {

namespace {

using namespace amr;

/// [0, 2] × [0, 1], velocity (U(y), 0) with U = 1 (case.profile "plug") or 4y(1 - y) ("parabolic").
/// What enters on the left has the value case.inflow, and draws a front into the channel, u = 0
/// before it; a Gaussian of case.height and case.sigma about (case.x, case.y) leaves on the right.
/// Above and below are walls: mirrors, or with case.walls "outflow", for nodes, sides without
/// gradient. Nothing crosses them either way. Known at all times: u(x, y, t) is the inflow's value
/// where x < U t, elsewhere what was at (x - U t, y) at the start.
class Channel final : public Case {
 public:
  static Description describe() {
    return {
        "channel",
        "a channel: a front enters, a Gaussian leaves",
        {choice("profile", {"plug", "parabolic"}, "parabolic",
                "profile of the velocity across the channel"),
         choice("walls", {"reflecting", "outflow"}, "reflecting",
                "boundaries above and below the flow; node-centred solvers take outflow only"),
         {"inflow", 1.0, "value of the field that flows in", -1000.0, 1000.0},
         {"height", 1.0, "height of the Gaussian that flows out; 0 = no Gaussian", -1000.0, 1000.0},
         {"sigma", 0.08, "standard deviation of the Gaussian", 1e-3, 1.0},
         {"x", 1.5, "x of the Gaussian's centre at the start", 0.0, 2.0},
         {"y", 0.5, "y of the Gaussian's centre at the start", 0.0, 1.0},
         {"duration", 1.5, "length of the whole run, in units of time", 1e-3, 1000.0}}};
  }

  explicit Channel(const ParameterSet& parameters)
      : parabolic_(parameters.text("profile") == "parabolic"),
        walls_(parameters.text("walls") == "reflecting" ? BoundaryKind::kReflecting
                                                        : BoundaryKind::kOutflow),
        inflow_(parameters.number("inflow")),
        height_(parameters.number("height")),
        bell_{parameters.number("x"), parameters.number("y"), parameters.number("sigma")},
        duration_(parameters.number("duration")) {}

  Extent extent() const override { return {2.0, 1.0}; }
  Boundaries boundaries() const override {
    return {{BoundaryKind::kFixedValue, inflow_}, {BoundaryKind::kOutflow}, {walls_}, {walls_}};
  }
  double end_time() const override { return duration_; }

  void initial(Points points, int, std::span<double> values) const override {
    evaluate(points, values, [this](double x, double y) { return height_ * bell_.at(x, y); });
  }

  void velocity(Points points, double, Vectors velocity) const override {
    evaluate(points, velocity, [this](double, double y) { return std::array{speed(y), 0.0}; });
  }

  bool stream_function(Points points, double, std::span<double> values) const override {
    return evaluate(points, values, [this](double, double y) {
      return parabolic_ ? y * y * (2.0 - (4.0 / 3.0) * y) : y;
    });
  }

  bool steady_velocity() const override { return true; }

  bool exact_displacement(Points points, double, double tau, Vectors displacement) const override {
    return evaluate(points, displacement, [=, this](double, double y) {
      return std::array{-tau * speed(y), 0.0};
    });
  }

  bool exact(Points points, int, double time, std::span<double> values) const override {
    return evaluate(points, values, [=, this](double x, double y) {
      const double start = x - time * speed(y);
      return start < 0.0 ? inflow_ : height_ * bell_.at(start, y);
    });
  }

 private:
  double speed(double y) const { return parabolic_ ? 4.0 * y * (1.0 - y) : 1.0; }

  bool parabolic_;
  BoundaryKind walls_;
  double inflow_;
  double height_;
  Bell bell_;
  double duration_;
};

}  // namespace

}  // namespace kumiko::cases

KUMIKO_PLUGIN(kumiko::cases::Channel)
