// Writes one value before the result's view.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class WritesBeyond final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"writes_beyond", "writes before the result's view", {}};
  }

  explicit WritesBeyond(const amr::ParameterSet&) : Upwind1(describe()) {}
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    *(&after(-after.ghosts(), -after.ghosts()) - 1) = 1.0;
  }
};

amr::Factory<amr::Solver> writes_beyond() { return amr::factory_of<amr::Solver, WritesBeyond>(); }

}  // namespace kumiko::broken
