// Declares order 3 and has 1.
#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class OverstatesOrder final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"overstates_order", "declares an order that it has not", {}};
  }

  explicit OverstatesOrder(const amr::ParameterSet&) : Upwind1(describe()) { traits_.order = 3.0; }
};

amr::Factory<amr::Solver> overstates_order() {
  return amr::factory_of<amr::Solver, OverstatesOrder>();
}

}  // namespace kumiko::broken
