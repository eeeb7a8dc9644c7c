// Declares that patches differ in cost, and does not say by how much.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class ForgetsWeight final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"forgets_weight", "declares weights and gives none", {}};
  }

  explicit ForgetsWeight(const amr::ParameterSet&) : Upwind1(describe()) {
    traits_.weighted = true;
  }
};

amr::Factory<amr::Solver> forgets_weight() { return amr::factory_of<amr::Solver, ForgetsWeight>(); }

}  // namespace kumiko::broken
