// Smooths the more the further right a patch lies.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class DependsOnPlace final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"depends_on_place", "smooths more on the right", {}};
  }

  explicit DependsOnPlace(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  std::size_t coefficients() const override { return Upwind1::coefficients() + 1; }

  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    coefficients.back() = 1e-7 * (1 + patch.first_i + patch.first_j);
    return Upwind1::prepare(problem, patch, time, dt, coefficients);
  }

  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    for (int component = 0; component < before.components(); ++component) {
      for (int j = 0; j < amr::kPatchSize; ++j) {
        for (int i = 0; i < amr::kPatchSize; ++i) {
          const double here = before(i, j, component);
          const double x =
              (before(i - 1, j, component) - here) + (before(i + 1, j, component) - here);
          const double y =
              (before(i, j - 1, component) - here) + (before(i, j + 1, component) - here);
          after(i, j, component) += coefficients.back() * (x + y);
        }
      }
    }
  }
};

amr::Factory<amr::Solver> depends_on_place() {
  return amr::factory_of<amr::Solver, DependsOnPlace>();
}

}  // namespace kumiko::broken
