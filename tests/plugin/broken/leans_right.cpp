// Takes a little of the right neighbour, whatever the flow.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class LeansRight final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"leans_right", "takes from the right neighbour in any flow", {}};
  }

  explicit LeansRight(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    for (int component = 0; component < before.components(); ++component) {
      for (int j = 0; j < amr::kPatchSize; ++j) {
        for (int i = 0; i < amr::kPatchSize; ++i) {
          after(i, j, component) +=
              1e-6 * ((before(i + 1, j, component) - before(i, j, component)) +
                      (before(i, j + 1, component) - before(i, j, component)));
        }
      }
    }
  }
};

amr::Factory<amr::Solver> leans_right() { return amr::factory_of<amr::Solver, LeansRight>(); }

}  // namespace kumiko::broken
