// Contract: an interface stays two to three cells wide; values near the two that it parts are bulk.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "flow.hpp"
#include "flux_form_run.hpp"
#include "kernels.hpp"
#include "thinc/elementary.hpp"
#include "thinc/kernel.hpp"

namespace kumiko::solvers {
namespace {

using amr::kPatchSize;

/// A strip of `high` in `low`, carried along x.
Flow strip(double low, double high) {
  Flow flow;
  flow.psi = [](double, double y, double) { return y; };
  flow.u = [=](double x, double, double t) {
    const double from_centre = x - 0.5 - t;
    return std::abs(from_centre - std::round(from_centre)) < 0.2 ? high : low;
  };
  return flow;
}

/// Cells of a row of 64 that are neither of two values after a turn around the domain.
int cut_cells(const Choice& choice, double low, double high) {
  const Flow flow = strip(low, high);
  const auto solver = choice.make();
  const auto backend = amr::make_backend("serial", 1);
  amr::Simulation run(flow, *solver, *backend, uniform(64, 200));
  run.advance(200);
  const amr::Level& level = run.hierarchy().level(0);
  const double hundredth = 0.01 * (high - low);
  int count = 0;
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    const amr::Patch& patch = level.patch(slot);
    if (patch.id().j > 0) continue;
    for (int i = 0; i < kPatchSize; ++i) {
      const double u = patch.now()(i, 0);
      count += u > low + hundredth && u < high - hundredth ? 1 : 0;
    }
  }
  return count;
}

TEST(Thinc, GivenAStripThenItsTwoEdgesStaySharpWhereThoseOfHighOrderDoNot) {
  EXPECT_LE(cut_cells({"thinc"}, 0.0, 1.0), 6);
  EXPECT_GE(cut_cells({"flux_form_fct"}, 0.0, 1.0), 10);
}

TEST(Thinc, GivenOtherValuesThenTheParametersName) {
  EXPECT_LE(cut_cells({"thinc", {{"low", -3.0}, {"high", 5.0}}}, -3.0, 5.0), 6);
}

TEST(Thinc, GivenValuesInTheWrongOrderThenItSaysSo) {
  EXPECT_THROW((Choice{"thinc", {{"low", 1.0}, {"high", 0.0}}}.make()), std::invalid_argument);
}

/// A slab across the seam in x, in a wind along both axes that turns; transposed, x and y change
/// places.
Flow slab(double high, bool transposed) {
  Flow flow;
  flow.steady = false;
  const auto speed = [](double t) { return std::cos(kTwoPi * (0.5 * t + 0.05)); };
  flow.psi = [=](double x, double y, double t) {
    return transposed ? speed(t) * (-0.5 * y - 0.75 * x) : speed(t) * (0.75 * y + 0.5 * x);
  };
  flow.u = [=](double x, double y, double) {
    const double across = transposed ? y : x;
    return across - std::floor(across) < 0.3 ? high : 0.0;
  };
  return flow;
}

/// Values of a level of 64 × 64 cells after some steps, in the field's unit, x fastest.
std::vector<double> field_of(const Flow& flow, double high, bool transposed) {
  const auto solver = Choice{"thinc", {{"high", high}}}.make();
  const auto backend = amr::make_backend("serial", 1);
  amr::Simulation run(flow, *solver, *backend, uniform(64, 256));
  run.advance(64);
  std::vector<double> values(64 * 64);
  const amr::Level& level = run.hierarchy().level(0);
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    const amr::Patch& patch = level.patch(slot);
    for (int j = 0; j < kPatchSize; ++j) {
      for (int i = 0; i < kPatchSize; ++i) {
        const int x = patch.id().i * kPatchSize + i;
        const int y = patch.id().j * kPatchSize + j;
        values[static_cast<std::size_t>(transposed ? x * 64 + y : y * 64 + x)] =
            patch.now()(i, j) / high;
      }
    }
  }
  return values;
}

TEST(Thinc, GivenASlabInATurningWindThenItStaysOneInAnyUnitAndAlongEitherAxis) {
  const std::vector<double> usual = field_of(slab(1.0, false), 1.0, false);
  const std::vector<double> small = field_of(slab(1e-9, false), 1e-9, false);
  const std::vector<double> large = field_of(slab(1e9, false), 1e9, false);
  const std::vector<double> transposed = field_of(slab(1.0, true), 1.0, true);
  double cut = 0.0;
  for (std::size_t at = 0; at < usual.size(); ++at) {
    ASSERT_NEAR(usual[at], usual[at % 64], 1e-12) << "not a slab";
    ASSERT_NEAR(small[at], usual[at], 1e-12);
    ASSERT_NEAR(large[at], usual[at], 1e-12);
    ASSERT_NEAR(transposed[at], usual[at], 1e-12);
    cut = std::max(cut, std::min(usual[at], 1.0 - usual[at]));
  }
  EXPECT_GT(cut, 0.01) << "the check is empty";
}

TEST(Thinc, GivenAThreadThatLiesLevelThenRoundOffInItChangesNoFluxByMoreThanThat) {
  // Along the thread the gradient vanishes, while the flow across it makes its half step uneven.
  Flow flow;
  flow.psi = [](double x, double y, double) { return 0.5 * y - x * x; };
  const auto step_with = [&](double size) {
    FluxFormRun run({"thinc", {{"limiter", std::string("none")}}}, flow, 16, 16);
    run.fill([&](int i, int j) { return (j == 8 ? 0.5 : 0.9) + size * noise(i, j); });
    run.advance();
    return run.after_values;
  };
  const std::vector<double> level = step_with(0.0);
  const std::vector<double> rough = step_with(1e-15);
  double largest = 0.0;
  for (std::size_t at = 0; at < level.size(); ++at) {
    largest = std::max(largest, std::abs(rough[at] - level[at]));
  }
  EXPECT_LE(largest, 1e-12);
  EXPECT_GT(largest, 0.0) << "the check is empty";
}

TEST(Elementary, GivenArgumentsInUseThenTheyAgreeWithTheLibrary) {
  constexpr int kSteps = 1752;
  for (int step = 0; step <= kSteps; ++step) {
    const double x = -12.0 + 24.0 * step / kSteps;
    const double power = thinc::exponential(x);
    EXPECT_NEAR(power / std::exp(x), 1.0, 1e-15);
    EXPECT_NEAR(thinc::logarithm(power), std::log(power), 2e-15);
  }
  EXPECT_EQ(thinc::exponential(0.0), 1.0);
  EXPECT_EQ(thinc::logarithm(1.0), 0.0);
}

TEST(Thinc, GivenEachInstructionSetThenTheBitsAreTheSame) {
  Flow flow;
  flow.psi = vortices;
  FluxFormRun run({"thinc"}, flow);
  run.fill([](int i, int j) { return 1.0 / (1.0 + std::exp(0.7 * i + 0.4 * j - 9.0)); });
  const auto kernels =
      kumiko::test::kernels_here(&thinc::step_baseline, &thinc::step_avx2, &thinc::step_avx512);
  const std::vector<double> velocities = rough_courant_numbers(60 * 60);
  const double* const v = velocities.data() + 20 * 40;
  for (const bool limited : {true, false}) {
    std::vector<double> first;
    for (const thinc::Kernel kernel : kernels) {
      flux_form::Fluxes fluxes;
      kernel({run.before.origin(), run.before.stride(), v, 40, v, 40, run.after.origin(),
              run.after.stride(), 0.0, &fluxes},
             {2.3, 0.5, 0.5}, limited);
      std::vector<double> made = values_of(fluxes);
      made.insert(made.end(), run.after_values.begin(), run.after_values.end());
      if (first.empty()) first = made;
      EXPECT_EQ(std::memcmp(first.data(), made.data(), first.size() * 8), 0);
    }
  }
}

}  // namespace
}  // namespace kumiko::solvers
