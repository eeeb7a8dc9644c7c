// Fills one coefficient more than it declares.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class WritesBeyondCoefficients final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"writes_beyond_coefficients", "fills one coefficient more than it declares", {}};
  }

  explicit WritesBeyondCoefficients(const amr::ParameterSet&) : Upwind1(describe()) {}
  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    const double cfl = Upwind1::prepare(problem, patch, time, dt, coefficients);
    coefficients.data()[coefficients.size()] = dt;
    return cfl;
  }
};

amr::Factory<amr::Solver> writes_beyond_coefficients() {
  return amr::factory_of<amr::Solver, WritesBeyondCoefficients>();
}

}  // namespace kumiko::broken
