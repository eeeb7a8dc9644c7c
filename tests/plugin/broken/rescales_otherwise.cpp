// A defect for the check determinism: coefficients depend on how they came about.
#include <algorithm>
#include <span>

#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

/// Multiplies the Courant numbers that an earlier step has left: they are off by round-off. Its CFL
/// number is right.
class RescalesOtherwise final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"rescales_otherwise", "rescales from step to step, with its round-off", {}};
  }

  explicit RescalesOtherwise(const amr::ParameterSet&) : Upwind1(describe()) {
    traits_.rescales = true;
  }
  /// Those of Upwind1, then a flow, then what the Courant numbers have been multiplied by.
  std::size_t coefficients() const override {
    return Upwind1::coefficients() + plugin::face_flow_values(kFaces) + 1;
  }
  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    coefficients.back() = factor(problem, time) * dt;
    Upwind1::prepare(problem, patch, time, dt, coefficients.first(Upwind1::coefficients()));
    return plugin::fill_face_flow(problem, patch, time, dt, kFaces, flow_in(coefficients));
  }
  double rescale(const amr::Case& problem, double time, double dt,
                 std::span<double> coefficients) const override {
    const double now = factor(problem, time) * dt;
    for (double& courant : coefficients.subspan(1, plugin::face_values(kFaces))) {
      courant *= now / coefficients.back();
    }
    coefficients.back() = now;
    return plugin::rescale_face_flow(problem, time, dt, flow_in(coefficients));
  }

 private:
  static constexpr int kFaces = amr::kTendencyGhosts;

  static double factor(const amr::Case& problem, double time) {
    return problem.velocity_factor(time).value_or(1.0);
  }
  std::span<double> flow_in(std::span<double> coefficients) const {
    return coefficients.subspan(Upwind1::coefficients(), plugin::face_flow_values(kFaces));
  }
};
amr::Factory<amr::Solver> rescales_otherwise() {
  return amr::factory_of<amr::Solver, RescalesOtherwise>();
}

}  // namespace kumiko::broken
