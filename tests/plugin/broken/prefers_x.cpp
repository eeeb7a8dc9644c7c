// Smooths along x and not along y.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class PrefersX final : public Upwind1 {
 public:
  static amr::Description describe() { return {"prefers_x", "smooths along x only", {}}; }

  explicit PrefersX(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    for (int component = 0; component < before.components(); ++component) {
      for (int j = 0; j < amr::kPatchSize; ++j) {
        for (int i = 0; i < amr::kPatchSize; ++i) {
          after(i, j, component) +=
              1e-6 * ((before(i - 1, j, component) - before(i, j, component)) +
                      (before(i + 1, j, component) - before(i, j, component)));
        }
      }
    }
  }
};

amr::Factory<amr::Solver> prefers_x() { return amr::factory_of<amr::Solver, PrefersX>(); }

}  // namespace kumiko::broken
