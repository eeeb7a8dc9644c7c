// Interpolates with weights that do not quite add up to 1.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class ChangesConstants final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"changes_constants", "changes constants by a billionth a step", {}};
  }

  explicit ChangesConstants(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    for (int component = 0; component < before.components(); ++component) {
      for (int j = 0; j < amr::kPatchSize; ++j) {
        for (int i = 0; i < amr::kPatchSize; ++i) {
          after(i, j, component) *= 1.0 + 1e-9;
        }
      }
    }
  }
};

amr::Factory<amr::Solver> changes_constants() {
  return amr::factory_of<amr::Solver, ChangesConstants>();
}

}  // namespace kumiko::broken
