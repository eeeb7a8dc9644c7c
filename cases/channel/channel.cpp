// A channel with an inflow and an outflow.
#include <string>

#include <kumiko/plugin/plugin.hpp>

#include "bell.hpp"

namespace kumiko::cases {

namespace {

using amr::BoundaryKind;
using amr::Points;
using amr::Vectors;

/// [0, 2] × [0, 1], velocity (U(y), 0) with U = 1 (case.profile "plug") or 4y(1 - y) ("parabolic").
/// What enters on the left has the value case.inflow, and draws a front into the channel, u = 0
/// before it; a Gaussian of case.height and case.sigma about (case.x, case.y) leaves on the right.
/// Above and below are walls: mirrors, or with case.walls "outflow", for nodes, sides without
/// gradient. Nothing crosses them either way. Known at all times: u(x, y, t) is the inflow's value
/// where x < U t, elsewhere what was at (x - U t, y) at the start.
class Channel final : public amr::Case {
 public:
  static amr::Description describe() {
    amr::ParameterSpec profile{"profile", std::string("parabolic"),
                               "profile of the velocity across the channel"};
    profile.choices = {"plug", "parabolic"};
    amr::ParameterSpec walls{
        "walls", std::string("reflecting"),
        "boundaries above and below the flow; node-centred solvers take outflow only"};
    walls.choices = {"reflecting", "outflow"};
    return {
        "channel",
        "a channel: a front enters, a Gaussian leaves",
        {profile,
         walls,
         {"inflow", 1.0, "value of the field that flows in", -1000.0, 1000.0},
         {"height", 1.0, "height of the Gaussian that flows out; 0 = no Gaussian", -1000.0, 1000.0},
         {"sigma", 0.08, "standard deviation of the Gaussian", 1e-3, 1.0},
         {"x", 1.5, "x of the Gaussian's centre at the start", 0.0, 2.0},
         {"y", 0.5, "y of the Gaussian's centre at the start", 0.0, 1.0},
         {"duration", 1.5, "length of the whole run, in units of time", 1e-3, 1000.0}}};
  }

  explicit Channel(const amr::ParameterSet& parameters)
      : parabolic_(parameters.text("profile") == "parabolic"),
        walls_(parameters.text("walls") == "reflecting" ? BoundaryKind::kReflecting
                                                        : BoundaryKind::kOutflow),
        inflow_(parameters.number("inflow")),
        height_(parameters.number("height")),
        bell_{parameters.number("x"), parameters.number("y"), parameters.number("sigma")},
        duration_(parameters.number("duration")) {}

  amr::Extent extent() const override { return {2.0, 1.0}; }
  amr::Boundaries boundaries() const override {
    return {{BoundaryKind::kFixedValue, inflow_}, {BoundaryKind::kOutflow}, {walls_}, {walls_}};
  }
  double end_time() const override { return duration_; }

  void initial(Points points, int, std::span<double> values) const override {
    bell_.sample(points, values);
    for (double& value : values) value *= height_;
  }

  void velocity(Points points, double, Vectors velocity) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      velocity.x[at] = speed(points.y[at]);
      velocity.y[at] = 0.0;
    }
  }

  bool stream_function(Points points, double, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double y = points.y[at];
      values[at] = parabolic_ ? y * y * (2.0 - (4.0 / 3.0) * y) : y;
    }
    return true;
  }

  bool steady_velocity() const override { return true; }

  bool exact_displacement(Points points, double, double tau, Vectors displacement) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      displacement.x[at] = -tau * speed(points.y[at]);
      displacement.y[at] = 0.0;
    }
    return true;
  }

  bool exact(Points points, int, double time, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double x = points.x[at] - time * speed(points.y[at]);
      values[at] = x < 0.0 ? inflow_ : height_ * bell_.at(x, points.y[at]);
    }
    return true;
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
