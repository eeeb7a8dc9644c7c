// A spot that burns to a sharp front while it turns.
#include <algorithm>
#include <cmath>

#include <kumiko/plugin/plugin.hpp>

#include "sine_forms.hpp"
#include "solid_rotation.hpp"

namespace kumiko::cases {

namespace {

using amr::Points;

/// Unit square, u = (1 + cos(π s)) / 2 at the start, where s rises from 0 to 1 over case.width,
/// half of it within the circle of radius 0.15 about (0.5, 0.75) and half outside; turned by the
/// velocity
/// (-(y - 0.5), x - 0.5) through case.turns revolutions of 2π each, and reacting by
/// -μ u (u - 1/2) (u - 1) with μ = case.rate: for the solver advection_reaction, whose solver.rate
/// must be the same. The source is that of LeVeque & Yee 1990, J. Comput. Phys. 86. 0 and 1
/// attract: the edge steepens by exp(μ t / 4) to a front where u was 1/2, which the flow alone
/// moves.
///
/// The solution is known at all times: along a trajectory w = u - 1/2 has the derivative
/// μ (w / 4 - w³), Bernoulli's equation.
class ReactingFront final : public SolidRotation {
 public:
  static amr::Description describe() {
    return {
        "reacting_front",
        "a spot in solid rotation that burns to a sharp front, for advection_reaction",
        {{"rate", 0.0, "mu of the reaction, as solver.rate has it", 0.0, 1e9},
         {"turns", 0.25, "revolutions that make up the whole run", 1e-3, 1000.0},
         {"width", 0.2, "of the edge at the start, across which u falls from 1 to 0", 1e-6, 0.3}}};
  }

  explicit ReactingFront(const amr::ParameterSet& parameters)
      : rate_(parameters.number("rate")),
        turns_(parameters.number("turns")),
        width_(parameters.number("width")) {}

  double end_time() const override { return turns_ * kRevolution; }
  amr::Equation equation() const override {
    if (rate_ == 0.0) return {};
    return {"advection_reaction", {{"rate", rate_}}};
  }

  void initial(Points points, int, std::span<double> values) const override {
    evaluate(points, values, [this](double x, double y) {
      constexpr double kRadius = 0.15;
      const double dx = x - 0.5;
      const double dy = y - 0.75;
      const double outside = (std::sqrt(dx * dx + dy * dy) - kRadius) / width_;
      const double s = std::clamp(outside + 0.5, 0.0, 1.0);
      return 0.5 * (1.0 + sine_forms(0.5 * s).cosine());
    });
  }

  bool exact(Points points, int component, double time, std::span<double> values) const override {
    SolidRotation::exact(points, component, time, values);
    const double decay = std::exp(-0.5 * rate_ * time);
    if (decay == 1.0) return true;
    for (double& value : values) {
      const double w = value - 0.5;
      value = w == 0.0 ? 0.5 : 0.5 + w / std::sqrt(decay + 4.0 * w * w * (1.0 - decay));
    }
    return true;
  }

 private:
  double rate_;
  double turns_;
  double width_;
};

}  // namespace

}  // namespace kumiko::cases

KUMIKO_PLUGIN(kumiko::cases::ReactingFront)
