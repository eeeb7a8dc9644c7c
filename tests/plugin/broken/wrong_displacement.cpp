// Declares characteristic ghosts and gives displacements forwards in time.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class WrongDisplacement final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"wrong_displacement", "gives displacements with the wrong sign", {}};
  }

  explicit WrongDisplacement(const amr::ParameterSet&) : Upwind1(describe()) {
    traits_.characteristic_ghosts = true;
  }
  void displacement(const amr::Case& problem, amr::Points points, double time, double tau,
                    amr::Vectors displacement) const override {
    problem.velocity(points, time, displacement);
    for (double& value : displacement.x) value *= tau;
    for (double& value : displacement.y) value *= tau;
  }
};

amr::Factory<amr::Solver> wrong_displacement() {
  return amr::factory_of<amr::Solver, WrongDisplacement>();
}

}  // namespace kumiko::broken
