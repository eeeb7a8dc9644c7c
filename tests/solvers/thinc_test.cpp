// Contract: an interface stays two to three cells wide; values near the two that it parts are bulk.
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "flow.hpp"
#include "flux_form_run.hpp"
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

TEST(Elementary, GivenArgumentsInUseThenTheyAgreeWithTheLibrary) {
  for (double x = -12.0; x <= 12.0; x += 0.0137) {
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
  std::vector<thinc::Kernel> kernels = {thinc::step_baseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) kernels.push_back(thinc::step_avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    kernels.push_back(thinc::step_avx512);
  }
#endif
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
