// Divides 0 by 0.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class MakesNan final : public Upwind1 {
 public:
  static amr::Description describe() { return {"makes_nan", "divides 0 by 0 in every step", {}}; }

  explicit MakesNan(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView before, std::span<const double>,
               amr::PatchView after) const override {
    for (int component = 0; component < before.components(); ++component) {
      const auto zero = before.interior(component) - before.interior(component);
      after.interior(component) = zero / zero;
    }
  }
};

amr::Factory<amr::Solver> makes_nan() { return amr::factory_of<amr::Solver, MakesNan>(); }

}  // namespace kumiko::broken
