// Declares a CFL limit at which it is unstable.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class OverstatesCfl final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"overstates_cfl", "declares a limit at which it is unstable", {}};
  }

  explicit OverstatesCfl(const amr::ParameterSet&) : Upwind1(describe()) {
    traits_.cfl_limit = 1.2;
  }
};

amr::Factory<amr::Solver> overstates_cfl() { return amr::factory_of<amr::Solver, OverstatesCfl>(); }

}  // namespace kumiko::broken
