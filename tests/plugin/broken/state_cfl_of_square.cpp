// Gives a state's CFL number that grows with the square of the step.
#include "broken.hpp"
#include "burgers1.hpp"

namespace kumiko::broken {

class StateCflOfSquare final : public Burgers1 {
 public:
  static amr::Description describe() {
    return {"state_cfl_of_square", "gives a CFL number that is not proportional to the step", {}};
  }

  explicit StateCflOfSquare(const amr::ParameterSet&) : Burgers1(describe()) {}
  double state_cfl(amr::ConstPatchView state, std::span<const double> coefficients) const override {
    const double cfl = Burgers1::state_cfl(state, coefficients);
    return cfl * cfl;
  }
};

amr::Factory<amr::Solver> state_cfl_of_square() {
  return amr::factory_of<amr::Solver, StateCflOfSquare>();
}

}  // namespace kumiko::broken
