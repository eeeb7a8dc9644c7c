// Semi-Lagrangian advection, then a stiff reaction: patches that cost what burns in them.
#include <utility>

#include "bistable.hpp"
#include "semi_lagrangian_cubic/semi_lagrangian.hpp"

namespace kumiko::solvers {

namespace {

using namespace amr;
using advection_reaction::Bistable;

/// ∂u/∂t + v·∇u = S(u): a step carries u along the flow, then integrates the reaction at each point
/// over it. As S depends on u alone, what the reaction makes of a particle does not depend on where
/// it is: the two parts commute, and the splitting has no error of its own.
class AdvectionReaction final : public cubic::SemiLagrangian {
 public:
  static Description describe() {
    std::vector<ParameterSpec> specs = parameters();
    specs.push_back(
        {"rate", 0.0, "mu of the reaction -mu u (u - 1/2) (u - 1); 0 = none", 0.0, 1e9});
    specs.push_back(
        {"tolerance", 1e-10, "largest error of one of the reaction's sub-steps", 1e-13, 1e-2});
    return {"advection_reaction",
            "semi-Lagrangian advection with a stiff reaction, sub-stepped where it burns",
            std::move(specs)};
  }

  explicit AdvectionReaction(const ParameterSet& parameters)
      : SemiLagrangian(parameters),
        reaction_{parameters.number("rate")},
        tolerance_(parameters.number("tolerance")) {
    // What is looked up at departure points between a coarse level's times would not have reacted.
    traits_.characteristic_ghosts = false;
  }

  Equation equation() const override {
    if (reaction_.mu == 0.0) return {};
    return {"advection_reaction", {{"rate", reaction_.mu}}};
  }

  /// The step's length is the last.
  std::size_t coefficients() const override { return SemiLagrangian::coefficients() + 1; }

  double prepare(const Case& problem, const PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    coefficients.back() = dt;
    return SemiLagrangian::prepare(problem, patch, time, dt, coefficients);
  }

  void advance(ConstPatchView before, std::span<const double> coefficients,
               PatchView after) const override {
    SemiLagrangian::advance(before, coefficients, after);
    for (int component = 0; component < after.components(); ++component) {
      for (int j = 0; j < kPatchSize; ++j) {
        double* const row = after.origin(component) + j * after.stride();
        for (int i = 0; i < kPatchSize; ++i) {
          row[i] =
              advection_reaction::integrate(reaction_, row[i], coefficients.back(), tolerance_);
        }
      }
    }
  }

 private:
  Bistable reaction_;
  double tolerance_;
};

}  // namespace

}  // namespace kumiko::solvers

KUMIKO_PLUGIN(kumiko::solvers::AdvectionReaction)
