// Declares too few coefficients: the spacing, but not the faces.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class UndercountsCoefficients final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"undercounts_coefficients", "declares one coefficient", {}};
  }

  explicit UndercountsCoefficients(const amr::ParameterSet&) : Upwind1(describe()) {}
  std::size_t coefficients() const override { return 1; }
};

amr::Factory<amr::Solver> undercounts_coefficients() {
  return amr::factory_of<amr::Solver, UndercountsCoefficients>();
}

}  // namespace kumiko::broken
