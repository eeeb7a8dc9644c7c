// Gives the tendency with the wrong sign.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class WrongTendency final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"wrong_tendency", "gives the tendency with the wrong sign", {}};
  }

  explicit WrongTendency(const amr::ParameterSet&) : Upwind1(describe()) {}
  void tendency(amr::ConstPatchView state, std::span<const double> coefficients,
                const amr::PointRange& range, amr::PatchView tendency) const override {
    Upwind1::tendency(state, coefficients, range, tendency);
    for (int component = 0; component < state.components(); ++component) {
      for (int j = range.j0; j < range.j1; ++j) {
        for (int i = range.i0; i < range.i1; ++i) {
          tendency(i, j, component) = -tendency(i, j, component);
        }
      }
    }
  }
};

amr::Factory<amr::Solver> wrong_tendency() { return amr::factory_of<amr::Solver, WrongTendency>(); }

}  // namespace kumiko::broken
