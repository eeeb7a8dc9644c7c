// Reads four ghost layers and declares three.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class ReadsOneLayerMore final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"reads_one_layer_more", "reads a layer more than it declares", {}};
  }

  explicit ReadsOneLayerMore(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    // The ghosts that the engine fills are there; those beyond are anything.
    after(0, 7) += 1e-15 * before(-4, 7);
  }
};

amr::Factory<amr::Solver> reads_one_layer_more() {
  return amr::factory_of<amr::Solver, ReadsOneLayerMore>();
}

}  // namespace kumiko::broken
