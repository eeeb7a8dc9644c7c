// Throws in every step.
#include <stdexcept>

#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class ThrowsInAdvance final : public Upwind1 {
 public:
  static amr::Description describe() { return {"throws_in_advance", "throws in every step", {}}; }

  explicit ThrowsInAdvance(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView, std::span<const double>, amr::PatchView) const override {
    throw std::runtime_error("this solver never advances");
  }
};

amr::Factory<amr::Solver> throws_in_advance() {
  return amr::factory_of<amr::Solver, ThrowsInAdvance>();
}

}  // namespace kumiko::broken
