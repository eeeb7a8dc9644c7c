// Puts a 0 where a NaN would be.
#include <cmath>

#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class HidesNan final : public Upwind1 {
 public:
  static amr::Description describe() { return {"hides_nan", "puts zeros where NaN would be", {}}; }

  explicit HidesNan(const amr::ParameterSet&) : Upwind1(describe()) {}
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    for (int component = 0; component < before.components(); ++component) {
      for (int j = 0; j < amr::kPatchSize; ++j) {
        for (int i = 0; i < amr::kPatchSize; ++i) {
          if (std::isnan(after(i, j, component))) after(i, j, component) = 0.0;
        }
      }
    }
  }
};

amr::Factory<amr::Solver> hides_nan() { return amr::factory_of<amr::Solver, HidesNan>(); }

}  // namespace kumiko::broken
