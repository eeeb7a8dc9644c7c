// Lets the value behind its coefficients into the result.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class ReadsBeyondCoefficients final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"reads_beyond_coefficients", "reads one coefficient more than it declares", {}};
  }

  explicit ReadsBeyondCoefficients(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    after(4, 4) *= 1.0 + 1e-20 * coefficients.data()[coefficients.size()];
  }
};

amr::Factory<amr::Solver> reads_beyond_coefficients() {
  return amr::factory_of<amr::Solver, ReadsBeyondCoefficients>();
}

}  // namespace kumiko::broken
