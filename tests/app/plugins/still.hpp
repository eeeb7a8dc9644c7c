// A small solver that does all it says, for the plugins of the tests to derive from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <kumiko/plugin/plugin.hpp>

namespace kumiko::test {

/// Leaves every value as it is. The only coefficient is the time at which a step begins, where the
/// velocity is not steady.
class Still : public amr::Solver {
 public:
  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return 1; }

  double prepare(const amr::Case&, const amr::PatchPoints&, double time, double,
                 std::span<double> coefficients) const override {
    coefficients[0] = time;
    return 0.0;
  }

  void advance(amr::ConstPatchView before, std::span<const double>,
               amr::PatchView after) const override {
    for (int component = 0; component < before.components(); ++component) {
      for (int j = 0; j < amr::kPatchSize; ++j) {
        std::copy_n(&before(0, j, component), amr::kPatchSize, &after(0, j, component));
      }
    }
  }

 protected:
  amr::SolverTraits traits_;
};

}  // namespace kumiko::test
