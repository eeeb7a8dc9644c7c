// A case that its configuration writes as formulas.
#include <kumiko/plugin/plugin.hpp>

#include "expression_keys.hpp"

namespace kumiko::cases {

namespace {

using namespace amr;

/// Advection on [0, Lx] × [0, Ly]. Initial values, velocity or stream function, boundaries, and if
/// known the exact solution are formulas of the keys in [case]; docs/guide/own-case.md explains
/// them. The velocity of a stream function ψ is (∂ψ/∂y, -∂ψ/∂x) by exact derivatives of the
/// formula. At the start, the exact solution is the initial values.
class Expression final : public Case {
 public:
  static Description describe() {
    return {"expression", "advection of what the configuration's formulas say", expression_keys()};
  }

  explicit Expression(const ParameterSet& parameters) : problem_(read_expression(parameters)) {}

  Extent extent() const override { return problem_.extent; }
  Boundaries boundaries() const override {
    const auto& sides = problem_.sides;
    return {sides[0].boundary, sides[1].boundary, sides[2].boundary, sides[3].boundary};
  }
  void boundary_values(Side side, Points points, int, double time,
                       std::span<double> values) const override {
    problem_.sides[static_cast<std::size_t>(side)].prescribed->evaluate(points, {time}, values);
  }
  double end_time() const override { return problem_.end_time; }

  void initial(Points points, int, std::span<double> values) const override {
    problem_.initial.evaluate(points, {}, values);
  }

  void velocity(Points points, double time, Vectors velocity) const override {
    problem_.velocity.evaluate(points, {time}, velocity);
  }
  bool stream_function(Points points, double time, std::span<double> values) const override {
    if (!problem_.stream_function) return false;
    problem_.stream_function->evaluate(points, {time}, values);
    return true;
  }
  bool steady_velocity() const override {
    return !problem_.velocity.depends_on(formula::Variable::kTime) &&
           !(problem_.stream_function &&
             problem_.stream_function->depends_on(formula::Variable::kTime));
  }
  std::optional<double> velocity_factor(double time) const override {
    if (!problem_.factor) return std::nullopt;
    return problem_.factor->at({time}) / problem_.factor->at({problem_.unit_factor_time});
  }
  double unit_factor_time() const override { return problem_.unit_factor_time; }

  bool exact_displacement(Points points, double time, double tau,
                          Vectors displacement) const override {
    if (!problem_.displacement) return false;
    problem_.displacement->evaluate(points, {time, tau}, displacement);
    return true;
  }

  bool exact(Points points, int component, double time, std::span<double> values) const override {
    if (time == 0.0) {
      initial(points, component, values);
      return true;
    }
    if (!problem_.exact) return false;
    problem_.exact->evaluate(points, {time}, values);
    return true;
  }

 private:
  ExpressionProblem problem_;
};

}  // namespace

}  // namespace kumiko::cases

KUMIKO_PLUGIN(kumiko::cases::Expression)
