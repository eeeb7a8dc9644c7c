// Contract: a solver that weighs patches is asked for every one, may place work but never change a
// bit, and is refused with what it said when that is not a weight.
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/amr/step_error.hpp>
#include <kumiko/plugin/registry.hpp>

#include "bridge/solver_bridge.hpp"

namespace kumiko::plugin::detail {
namespace {

/// Spacing, first point in x and in y of a patch.
using Place = std::tuple<double, int, int>;

/// Cell averages that stay, and patches that cost the more the further right they lie.
class Weighing final : public amr::Solver {
 public:
  Weighing(bool is_weighted, double scale, std::set<Place>& asked) : scale_(scale), asked_(asked) {
    traits_.centring = amr::Centring::kCell;
    traits_.weighted = is_weighted;
  }
  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return 0; }
  double prepare(const amr::Case&, const amr::PatchPoints&, double, double,
                 std::span<double>) const override {
    return 0.5;
  }
  void advance(amr::ConstPatchView before, std::span<const double>,
               amr::PatchView after) const override {
    const int g = before.ghosts();
    after.interior() =
        0.75 * before.interior() + 0.25 * before.with_ghosts().block(g, g - 1, 16, 16);
  }
  double weight(const amr::Case& problem, const amr::PatchPoints& patch,
                double time) const override {
    if (problem.components() != 1 || time != 0.0) throw std::logic_error("it is another case");
    const std::lock_guard lock(mutex_);
    asked_.emplace(patch.spacing, patch.first_i, patch.first_j);
    return scale_ * (1.0 + patch.points.x[0]);
  }

 private:
  double scale_;
  std::set<Place>& asked_;
  mutable std::mutex mutex_;
  amr::SolverTraits traits_;
};

struct Result {
  std::string hash;
  std::size_t patches = 0;
  std::set<Place> asked;
};

Result run(bool is_weighted, double scale, const char* backend_name) {
  Result result;
  const SolverFromBeyond solver(give(std::make_unique<Weighing>(is_weighted, scale, result.asked)),
                                "weighing", "solver 'weighing'");
  const auto problem = find_case("zalesak")->make({});
  const auto backend = amr::make_backend(backend_name, 0);
  amr::SimulationOptions options;
  options.points_x = options.points_y = 64;
  options.levels = 2;
  options.steps = 640;
  amr::Simulation simulation(*problem, solver, *backend, options);
  for (int level = 0; level < 2; ++level) {
    result.patches += simulation.hierarchy().level(level).size();
  }
  simulation.advance(2);
  result.hash = amr::state_hash(simulation.hierarchy());
  return result;
}

TEST(Weights, GivenASolverThatWeighsThenEveryPatchIsAskedForAndNoBitChanges) {
  const Result weighed = run(true, 1.0, "threads");
  const Result equal = run(false, 1.0, "threads");
  EXPECT_EQ(weighed.asked.size(), weighed.patches);
  EXPECT_TRUE(equal.asked.empty());
  EXPECT_EQ(weighed.hash, equal.hash);
  EXPECT_EQ(weighed.hash, run(true, 1.0, "serial").hash);
}

TEST(Weights, GivenWeightsWhoseSumIsTooLargeForANumberThenNoBitChanges) {
  EXPECT_EQ(run(true, 0.5 * std::numeric_limits<double>::max(), "threads").hash,
            run(false, 1.0, "threads").hash);
}

TEST(Weights, GivenWhatIsNotAWeightThenTheRunEndsWithThePatchAndTheNumber) {
  for (const double scale : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    try {
      run(true, scale, "threads");
      FAIL();
    } catch (const amr::DeclarationError& error) {
      EXPECT_NE(std::string(error.what()).find("solver 'weighing' gives"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("finite and above 0"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace kumiko::plugin::detail
