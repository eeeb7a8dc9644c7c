// Advances the first component only, though it says as many as the case has.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class ForgetsComponent final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"forgets_component", "advances one component of any number", {}};
  }

  explicit ForgetsComponent(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    const amr::ConstPatchView first(&before(-before.ghosts(), -before.ghosts()), 1,
                                    before.ghosts());
    Upwind1::advance(first, coefficients, after);
  }
};

amr::Factory<amr::Solver> forgets_component() {
  return amr::factory_of<amr::Solver, ForgetsComponent>();
}

}  // namespace kumiko::broken
