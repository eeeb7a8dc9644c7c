// Lets a count of calls into the result.
#include <atomic>

#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class CountsCalls final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"counts_calls", "lets a count of calls into the result", {}};
  }

  explicit CountsCalls(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    Upwind1::advance(before, coefficients, after);
    static std::atomic<int> calls = 0;
    after(4, 4) *= 1.0 + 1e-15 * (calls.fetch_add(1) % 2);
  }
};

amr::Factory<amr::Solver> counts_calls() { return amr::factory_of<amr::Solver, CountsCalls>(); }

}  // namespace kumiko::broken
