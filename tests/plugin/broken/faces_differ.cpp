// Adds the same to all fluxes along x, which changes no sum, but other than the neighbour does.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class FacesDiffer final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"faces_differ", "gives a face other fluxes than the neighbour", {}};
  }

  explicit FacesDiffer(const amr::ParameterSet&) : Upwind1(describe()) {}
  void advance_with_fluxes(amr::ConstPatchView before, std::span<const double> coefficients,
                           amr::PatchView after, amr::FaceFluxes fluxes) const override {
    Upwind1::advance_with_fluxes(before, coefficients, after, fluxes);
    for (int line = 0; line < amr::FaceFluxes::kLines; ++line) {
      fluxes.line(amr::FaceAxis::kX, line)[3] += 1e-3 * coefficients[0] * before(5, 5);
    }
  }
};

amr::Factory<amr::Solver> faces_differ() { return amr::factory_of<amr::Solver, FacesDiffer>(); }

}  // namespace kumiko::broken
