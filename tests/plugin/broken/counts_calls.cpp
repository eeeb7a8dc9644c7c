// Lets a count of calls into the result.
#include <atomic>
#include <cstdint>

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
    static std::atomic<std::uint32_t> calls = 0;
    // Without a period: whatever calls come in between, a later one has another factor.
    constexpr std::uint32_t kGoldenRatio = 2654435769U;
    after(4, 4) *= 1.0 + 1e-15 * (calls.fetch_add(1) * kGoldenRatio >> 29U);
  }
};

amr::Factory<amr::Solver> counts_calls() { return amr::factory_of<amr::Solver, CountsCalls>(); }

}  // namespace kumiko::broken
