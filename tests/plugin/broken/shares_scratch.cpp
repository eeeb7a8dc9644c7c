// Keeps its scratch space in a static array, which all threads write.
#include <array>
#include <thread>

#include "broken.hpp"
#include "upwind1.hpp"

namespace kumiko::broken {

class SharesScratch final : public Upwind1 {
 public:
  static amr::Description describe() {
    return {"shares_scratch", "computes in an array that all threads share", {}};
  }

  explicit SharesScratch(const amr::ParameterSet&) : Upwind1(describe()) {
    give_up_fluxes_and_tendency();
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    static std::array<double, amr::kPatchPoints> scratch;
    for (int component = 0; component < before.components(); ++component) {
      for (int j = 0; j < amr::kPatchSize; ++j) {
        for (int i = 0; i < amr::kPatchSize; ++i) scratch[index(i, j)] = before(i, j, component);
      }
      Upwind1::advance(before, coefficients, after);
      // What a longer computation would take.
      std::this_thread::yield();
      for (int j = 0; j < amr::kPatchSize; ++j) {
        for (int i = 0; i < amr::kPatchSize; ++i) {
          after(i, j, component) += scratch[index(i, j)] - before(i, j, component);
        }
      }
    }
  }

 private:
  static std::size_t index(int i, int j) {
    return static_cast<std::size_t>(j * amr::kPatchSize + i);
  }
};

amr::Factory<amr::Solver> shares_scratch() { return amr::factory_of<amr::Solver, SharesScratch>(); }

}  // namespace kumiko::broken
