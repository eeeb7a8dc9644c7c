// Reads a layer more than it declares, behind a test that NaN does not pass.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class ReadsMaskedLayer final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"reads_masked_layer", "reads a layer more where that is not NaN", {}};
  }

  explicit ReadsMaskedLayer(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    const double beyond = before(19, 7);
    if (beyond > 1e100) after(15, 7) = 0.0;
  }
};

amr::Factory<amr::Solver> reads_masked_layer() {
  return amr::factory_of<amr::Solver, ReadsMaskedLayer>();
}

}  // namespace kumiko::broken
