// Contract: across the seams of a periodic domain a solver in flux form conserves as within it, and
// what it does depends on no unit of the field.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "flow.hpp"
#include "flux_form_run.hpp"

namespace kumiko::solvers {
namespace {

using amr::FaceAxis;
using amr::kPatchSize;

constexpr int kCells = 64;

/// A wind that turns, whose stream function differs from seam to seam.
Flow turning_wind() {
  Flow flow;
  flow.steady = false;
  const auto speed = [](double t) { return std::cos(kTwoPi * 0.7 * t); };
  flow.psi = [=](double x, double y, double t) {
    return speed(t) * (vortices(x, y, t) + 0.75 * y + 0.5 * x);
  };
  flow.vx = [=](double x, double y, double t) {
    return speed(t) * (1.05 - std::sin(kTwoPi * x) * std::sin(kTwoPi * y));
  };
  flow.vy = [=](double x, double y, double t) {
    return speed(t) * (-0.5 - std::cos(kTwoPi * x) * std::cos(kTwoPi * y));
  };
  return flow;
}

/// A block that lies across both seams.
double corner_block(double x, double y, double) {
  return std::abs(x - std::round(x)) < 0.2 && std::abs(y - std::round(y)) < 0.15 ? 1.0 : 0.0;
}

class Seams : public testing::TestWithParam<Choice> {};

TEST_P(Seams, GivenPatchesOnBothSidesThenTheyGiveTheSeamsFacesTheSameBits) {
  for (const bool by_velocity : {false, true}) {
    Flow flow = turning_wind();
    if (by_velocity) flow.psi = {};
    const auto run_at = [&](int first_i, int first_j) {
      FluxFormRun run(GetParam(), flow, first_i, first_j);
      run.fill([=](int i, int j) {
        return noise((first_i + i + kCells) % kCells, (first_j + j + kCells) % kCells);
      });
      run.advance();
      return run.flux_values;
    };
    constexpr int kLast = kCells - kPatchSize;
    std::vector<double> left = run_at(0, 32);
    std::vector<double> right = run_at(kLast, 32);
    std::vector<double> bottom = run_at(16, 0);
    std::vector<double> top = run_at(16, kLast);
    const auto line = [](std::vector<double>& fluxes, FaceAxis axis, int at) {
      return amr::FaceFluxes{fluxes.data(), 1}.line(axis, at);
    };
    for (int k = 0; k < kPatchSize; ++k) {
      ASSERT_EQ(line(right, FaceAxis::kX, 2)[k], line(left, FaceAxis::kX, 0)[k]) << by_velocity;
      ASSERT_EQ(line(top, FaceAxis::kY, 2)[k], line(bottom, FaceAxis::kY, 0)[k]) << by_velocity;
    }
  }
}

TEST_P(Seams, GivenABlockAcrossThemAndATurningWindThenTheMassStaysToRoundOff) {
  for (const int levels : {1, 3}) {
    Flow flow = turning_wind();
    flow.u = corner_block;
    const auto solver = GetParam().make();
    const auto backend = amr::make_backend("serial", 1);
    amr::SimulationOptions options = uniform(kCells, 320);
    options.levels = levels;
    amr::Simulation run(flow, *solver, *backend, options);
    const double mass = amr::field_figures(run.hierarchy(), *backend).mass;
    run.advance(40);
    EXPECT_NEAR(amr::field_figures(run.hierarchy(), *backend).mass / mass, 1.0, 1e-13)
        << levels << " levels";
  }
}

TEST_P(Seams, GivenAFieldInUnitsApartByAPowerOfTwoThenItsStepIsTheSameToTheBit) {
  const auto step_of = [&](double unit) {
    Choice choice = GetParam();
    if (choice.solver == "thinc") choice.parameters.push_back({"high", unit});
    FluxFormRun run(choice, turning_wind(), 16, 32);
    run.fill([&](int i, int j) { return unit * noise(i, j); });
    run.advance();
    for (double& value : run.after_values) value /= unit;
    return run.after_values;
  };
  const std::vector<double> usual = step_of(1.0);
  EXPECT_EQ(step_of(0x1p-800), usual);
  EXPECT_EQ(step_of(0x1p900), usual);
}

INSTANTIATE_TEST_SUITE_P(Solvers, Seams,
                         testing::Values(Choice{"upwind1"}, Choice{"finite_volume_upwind3"},
                                         Choice{"flux_form_fct"},
                                         Choice{"flux_form_fct", {{"order", std::string("3")}}},
                                         Choice{"flux_form_fct", {{"order", std::string("9")}}},
                                         Choice{"thinc"},
                                         Choice{"thinc", {{"limiter", std::string("none")}}}),
                         [](const auto& of) {
                           std::string name = of.param.solver;
                           for (const auto& [key, value] : of.param.parameters) {
                             name += "_" + key + "_" + std::get<std::string>(value);
                           }
                           return name;
                         });

}  // namespace
}  // namespace kumiko::solvers
