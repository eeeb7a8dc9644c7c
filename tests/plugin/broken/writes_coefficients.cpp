// Changes its coefficients in advance(), which any number of steps may share.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class WritesCoefficients final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"writes_coefficients", "changes its coefficients in advance()", {}};
  }

  explicit WritesCoefficients(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    // The spacing as it is, written in other bits: an engine that keeps coefficients would see.
    double& spacing = const_cast<double&>(coefficients[0]);
    spacing = -spacing;
  }
};

amr::Factory<amr::Solver> writes_coefficients() {
  return amr::factory_of<amr::Solver, WritesCoefficients>();
}

}  // namespace kumiko::broken
