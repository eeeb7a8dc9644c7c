// A defect for the check determinism: coefficients depend on how they came about.
#include <algorithm>
#include <cmath>

#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

/// Multiplies what an earlier step has left.
class RescalesOtherwise final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"rescales_otherwise", "rescales from step to step, with its round-off", {}};
  }

  explicit RescalesOtherwise(const amr::ParameterSet&) : Upwind1(describe()) {
    traits_.rescales = true;
  }
  std::size_t coefficients() const override { return Upwind1::coefficients() + 1; }
  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    coefficients.back() = problem.velocity_factor(time).value_or(1.0) * dt;
    return Upwind1::prepare(problem, patch, time, dt, coefficients.first(coefficients.size() - 1));
  }
  double rescale(const amr::Case& problem, double time, double dt,
                 std::span<double> coefficients) const override {
    const double now = problem.velocity_factor(time).value() * dt;
    const double ratio = now / coefficients.back();
    coefficients.back() = now;
    double largest = 0.0;
    for (double& each : coefficients.subspan(1, coefficients.size() - 2)) {
      each *= ratio;
      largest = std::max(largest, std::abs(each));
    }
    return 2.0 * largest;
  }
};
amr::Factory<amr::Solver> rescales_otherwise() {
  return amr::factory_of<amr::Solver, RescalesOtherwise>();
}

}  // namespace kumiko::broken
