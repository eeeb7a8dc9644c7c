// Writes one ghost point of the result.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class WritesGhost final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"writes_ghost", "writes a ghost of the result", {}};
  }

  explicit WritesGhost(const amr::ParameterSet&) : Upwind1(describe()) {}
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    after(-1, 3) = after(0, 3);
  }
};

amr::Factory<amr::Solver> writes_ghost() { return amr::factory_of<amr::Solver, WritesGhost>(); }

}  // namespace kumiko::broken
