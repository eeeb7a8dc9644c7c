// Divides by the difference of neighbours, which is 0 where the field is flat.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class DividesBySlope final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"divides_by_slope", "divides by the difference of neighbours", {}};
  }

  explicit DividesBySlope(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    for (int component = 0; component < before.components(); ++component) {
      for (int j = 0; j < amr::kPatchSize; ++j) {
        for (int i = 0; i < amr::kPatchSize; ++i) {
          const double slope = before(i, j, component) - before(i - 1, j, component);
          after(i, j, component) *= slope / slope;
        }
      }
    }
  }
};

amr::Factory<amr::Solver> divides_by_slope() {
  return amr::factory_of<amr::Solver, DividesBySlope>();
}

}  // namespace kumiko::broken
