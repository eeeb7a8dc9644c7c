// Returns CFL numbers below 0.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class NegativeCfl final : public Upwind1 {
 public:
  static amr::Description describe() { return {"negative_cfl", "returns CFL numbers below 0", {}}; }

  explicit NegativeCfl(const amr::ParameterSet&) : Upwind1(describe()) {}
  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    return -Upwind1::prepare(problem, patch, time, dt, coefficients);
  }
};

amr::Factory<amr::Solver> negative_cfl() { return amr::factory_of<amr::Solver, NegativeCfl>(); }

}  // namespace kumiko::broken
