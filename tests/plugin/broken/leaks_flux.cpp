// Returns fluxes a millionth larger than those that made the change.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class LeaksFlux final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"leaks_flux", "returns fluxes that do not make the change", {}};
  }

  explicit LeaksFlux(const amr::ParameterSet&) : Upwind1(describe()) {}
  void advance_with_fluxes(amr::ConstPatchView before, std::span<const double> coefficients,
                           amr::PatchView after, amr::FaceFluxes fluxes) const override {
    Upwind1::advance_with_fluxes(before, coefficients, after, fluxes);
    double* const values = fluxes.line(amr::FaceAxis::kX, 0);
    for (std::size_t at = 0; at < amr::FaceFluxes::size(before.components()); ++at) {
      values[at] *= 1.0 + 1e-6;
    }
  }
};

amr::Factory<amr::Solver> leaks_flux() { return amr::factory_of<amr::Solver, LeaksFlux>(); }

}  // namespace kumiko::broken
