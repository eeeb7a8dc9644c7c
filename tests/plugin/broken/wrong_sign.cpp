// Adds what flows out of a cell.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class WrongSign final : public Upwind1 {
 public:
  static amr::Description describe() { return {"wrong_sign", "has all fluxes the wrong way", {}}; }

  explicit WrongSign(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    for (int component = 0; component < before.components(); ++component) {
      after.interior(component) = 2.0 * before.interior(component) - after.interior(component);
    }
  }
};

amr::Factory<amr::Solver> wrong_sign() { return amr::factory_of<amr::Solver, WrongSign>(); }

}  // namespace kumiko::broken
