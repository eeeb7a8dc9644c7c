// Contract: every solver of the Lin-Rood family conserves by the fluxes that it returns, keeps
// constants and bounds, prefers no axis and no direction, and reads no ghost that it did not
// declare.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "finite_volume_upwind3/kernel.hpp"
#include "flow.hpp"
#include "flux_form_fct/kernel.hpp"
#include "flux_form_run.hpp"
#include "kernels.hpp"

namespace kumiko::solvers {

void PrintTo(const Choice& choice, std::ostream* out) {
  *out << choice.solver;
  for (const auto& [name, value] : choice.parameters) *out << ' ' << name;
}

namespace {

using amr::FaceAxis;
using amr::kPatchSize;

Choice fct(const char* order, const char* limiter) {
  return {"flux_form_fct", {{"order", std::string(order)}, {"limiter", std::string(limiter)}}};
}

Flow flow_of(const Function& psi) {
  Flow flow;
  flow.psi = psi;
  return flow;
}

class FluxForm : public testing::TestWithParam<Choice> {};

TEST_P(FluxForm, GivenAConstantThenItStaysToRoundOff) {
  for (const bool steady : {true, false}) {
    Flow flow = flow_of(vortices);
    flow.steady = steady;
    flow.u = [](double, double, double) { return 0.7; };
    const auto solver = GetParam().make();
    const auto backend = amr::make_backend("serial", 1);
    amr::Simulation run(flow, *solver, *backend, uniform(32, 64));
    run.advance(64);
    const amr::FieldFigures figures = amr::field_figures(run.hierarchy(), *backend);
    EXPECT_NEAR(figures.maximum, 0.7, 1e-13);
    EXPECT_NEAR(figures.minimum, 0.7, 1e-13);
  }
}

TEST_P(FluxForm, GivenAStepThenEachQuadrantsGainIsWhatFlowsThroughItsSides) {
  FluxFormRun run(GetParam(), flow_of(vortices));
  run.fill(noise);
  run.advance();
  constexpr int kHalf = amr::kQuadrantSize;
  const auto through = [&](FaceAxis axis, int line, int part) {
    const double* const faces = run.fluxes.line(axis, line) + part * kHalf;
    double sum = 0.0;
    for (int k = 0; k < kHalf; ++k) sum += faces[k];
    return sum;
  };
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    const int qi = quadrant & 1;
    const int qj = quadrant >> 1;
    const auto quarter = [&](amr::PatchView u) {
      return u.interior().block<kHalf, kHalf>(kHalf * qj, kHalf * qi).sum();
    };
    const double gain = quarter(run.after) - quarter(run.before);
    const double net = through(FaceAxis::kX, qi, qj) - through(FaceAxis::kX, qi + 1, qj) +
                       through(FaceAxis::kY, qj, qi) - through(FaceAxis::kY, qj + 1, qi);
    EXPECT_NEAR(gain * run.spacing, net, 1e-14) << "quadrant " << quadrant;
    EXPECT_GT(std::abs(gain), 1e-4) << "the check is empty";
  }
}

TEST_P(FluxForm, GivenTwoNeighboursThenTheyGiveTheFaceBetweenThemTheSameBits) {
  const Flow flow = flow_of(vortices);
  FluxFormRun west(GetParam(), flow, 16, 32);
  FluxFormRun east(GetParam(), flow, 32, 32);
  FluxFormRun north(GetParam(), flow, 16, 48);
  west.fill([](int i, int j) { return noise(16 + i, 32 + j); });
  east.fill([](int i, int j) { return noise(32 + i, 32 + j); });
  north.fill([](int i, int j) { return noise(16 + i, 48 + j); });
  for (FluxFormRun* const run : {&west, &east, &north}) run->advance();
  for (int k = 0; k < kPatchSize; ++k) {
    ASSERT_EQ(west.fluxes.line(FaceAxis::kX, 2)[k], east.fluxes.line(FaceAxis::kX, 0)[k]);
    ASSERT_EQ(west.fluxes.line(FaceAxis::kY, 2)[k], north.fluxes.line(FaceAxis::kY, 0)[k]);
  }
}

TEST_P(FluxForm, GivenAStepWithoutFluxesThenTheBitsAreTheSame) {
  FluxFormRun run(GetParam(), flow_of(vortices));
  run.fill(noise);
  run.advance();
  const std::vector<double> with = run.after_values;
  run.solver->advance(run.before, run.coefficients, run.after);
  EXPECT_EQ(run.after_values, with);
}

TEST_P(FluxForm, GivenAxesExchangedThenSoIsTheResultToTheBit) {
  FluxFormRun run(GetParam(), flow_of(vortices), 16, 32);
  FluxFormRun exchanged(
      GetParam(), flow_of([](double x, double y, double t) { return -vortices(y, x, t); }), 32, 16);
  run.fill(noise);
  exchanged.fill([](int i, int j) { return noise(j, i); });
  run.advance();
  exchanged.advance();
  EXPECT_TRUE((run.after.interior() == exchanged.after.interior().transpose()).all());
}

TEST_P(FluxForm, GivenAMirroredFlowThenTheResultIsMirroredToTheBit) {
  constexpr int kMiddle = 24;  // the patch in the middle of 64 cells is its own mirror image
  FluxFormRun run(GetParam(), flow_of(vortices), kMiddle, 32);
  FluxFormRun mirrored(
      GetParam(), flow_of([](double x, double y, double t) { return -vortices(1.0 - x, y, t); }),
      kMiddle, 32);
  run.fill(noise);
  mirrored.fill([](int i, int j) { return noise(kPatchSize - 1 - i, j); });
  run.advance();
  mirrored.advance();
  EXPECT_TRUE((run.after.interior() == mirrored.after.interior().rowwise().reverse()).all());
}

TEST_P(FluxForm, GivenAFlowOfOneCellPerStepThenEverythingMovesByACell) {
  FluxFormRun run(GetParam(), flow_of([](double, double y, double) { return y; }), 0, 0, 64,
                  1.0 / 64);
  run.fill(noise);
  run.advance();
  for (int j = 0; j < kPatchSize; ++j) {
    for (int i = 0; i < kPatchSize; ++i) ASSERT_NEAR(run.after(i, j), noise(i - 1, j), 1e-14);
  }
  EXPECT_NEAR(run.cfl, 1.0, 1e-14);
}

TEST_P(FluxForm, GivenANotANumberThenItComesThrough) {
  FluxFormRun run(GetParam(), flow_of(vortices));
  for (const int at : {0, 7, 15}) {
    run.fill([at](int i, int j) {
      return i == at && j == at ? std::numeric_limits<double>::quiet_NaN() : noise(i, j);
    });
    run.advance();
    EXPECT_TRUE(std::isnan(run.after(at, at)));
  }
}

TEST_P(FluxForm, GivenMoreGhostsThanDeclaredThenTheirValuesDoNotMatter) {
  const Flow flow = flow_of(vortices);
  FluxFormRun declared(GetParam(), flow);
  FluxFormRun wide(GetParam(), flow, 0, 0, 64, 0.005, 8);
  const int last = declared.ghosts;
  declared.fill(noise);
  wide.fill([last](int i, int j) {
    const bool beyond = std::min(i, j) < -last || std::max(i, j) >= kPatchSize + last;
    return beyond ? std::numeric_limits<double>::quiet_NaN() : noise(i, j);
  });
  declared.advance();
  wide.advance();
  EXPECT_TRUE((declared.after.interior() == wide.after.interior()).all());
  EXPECT_EQ(declared.flux_values, wide.flux_values);
}

/// A disk and a wind that carries it over coarse-fine boundaries, refined where it is.
amr::SimulationOptions refined(int n, int steps) {
  amr::SimulationOptions options = uniform(n, steps);
  options.levels = 3;
  return options;
}

Flow disk_flow() {
  Flow flow = flow_of(vortices);
  flow.u = [](double x, double y, double) {
    return std::hypot(x - 0.5, y - 0.6) < 0.2 ? 1.0 : 0.0;
  };
  return flow;
}

TEST_P(FluxForm, GivenSeveralLevelsThenTheMassStaysToRoundOff) {
  const Flow flow = disk_flow();
  const auto solver = GetParam().make();
  const auto backend = amr::make_backend("serial", 1);
  amr::Simulation run(flow, *solver, *backend, refined(64, 160));
  const double mass = amr::field_figures(run.hierarchy(), *backend).mass;
  run.advance(40);
  EXPECT_NEAR(amr::field_figures(run.hierarchy(), *backend).mass, mass, 1e-14);
}

TEST_P(FluxForm, GivenADiskThenNoValueLeavesItsBoundsButWithoutLimiter) {
  const Flow flow = disk_flow();
  const auto solver = GetParam().make();
  const auto backend = amr::make_backend("serial", 1);
  amr::Simulation run(flow, *solver, *backend, uniform(64, 160));
  run.advance(40);
  const amr::FieldFigures figures = amr::field_figures(run.hierarchy(), *backend);
  const auto& parameters = GetParam().parameters;
  const bool limited = std::none_of(parameters.begin(), parameters.end(), [](const auto& given) {
    return given.second == amr::ParameterValue(std::string("none"));
  });
  if (limited) {
    EXPECT_GE(figures.minimum, -1e-14);
    EXPECT_LE(figures.maximum, 1.0 + 1e-13);
  } else if (GetParam().solver == "flux_form_fct") {
    EXPECT_LT(figures.minimum, -1e-2) << "the check is empty";
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, FluxForm,
                         testing::Values(fct("3", "fct"), fct("5", "fct"), fct("7", "fct"),
                                         fct("9", "fct"), fct("5", "none"), fct("9", "none"),
                                         Choice{"thinc"},
                                         Choice{"thinc", {{"limiter", std::string("none")}}}));

/// Root mean square of the error at the end of a run on one level.
double error_of(const Choice& choice, const amr::Case& problem, int n, int steps) {
  const auto solver = choice.make();
  const auto backend = amr::make_backend("serial", 1);
  amr::Simulation run(problem, *solver, *backend, uniform(n, steps));
  run.advance(steps);
  return amr::error_norms(run.hierarchy(), problem, run.time(), *backend)->rms;
}

double order_of(const Choice& choice, const amr::Case& problem, int n, int steps) {
  return std::log2(error_of(choice, problem, n, steps) /
                   error_of(choice, problem, 2 * n, 2 * steps));
}

double periodic_bell(double dx, double dy) {
  const double square = std::pow(dx - std::round(dx), 2) + std::pow(dy - std::round(dy), 2);
  return std::exp(-square / (2 * 0.08 * 0.08));
}

Flow translated_bell() {
  Flow flow = flow_of([](double x, double y, double) { return 0.8 * y + 0.6 * x; });
  flow.u = [](double x, double y, double t) {
    return periodic_bell(x - 0.5 - 0.8 * t, y - 0.5 + 0.6 * t);
  };
  return flow;
}

TEST(FluxFormFct, GivenAConstantFlowThenTheOrderIsHigh) {
  const Flow flow = translated_bell();
  EXPECT_GE(order_of(fct("3", "none"), flow, 32, 60), 2.3);
  EXPECT_GE(order_of(fct("5", "none"), flow, 32, 60), 3.7);
  EXPECT_GE(order_of(fct("9", "none"), flow, 32, 60), 3.7);
}

TEST(FluxFormFct, GivenAnUnsteadyFlowThenTheOrderIsTwo) {
  Flow flow;
  flow.steady = false;
  flow.psi = [](double x, double y, double t) {
    return std::cos(kTwoPi * t) * y - std::sin(kTwoPi * t) * x;
  };
  flow.u = [](double x, double y, double t) {
    return periodic_bell(x - 0.5 - std::sin(kTwoPi * t) / kTwoPi,
                         y - 0.5 - (1.0 - std::cos(kTwoPi * t)) / kTwoPi);
  };
  flow.duration = 0.4;
  EXPECT_GE(order_of(fct("7", "none"), flow, 64, 48), 1.9);
}

TEST(FluxFormFct, GivenASmallStepThenTheTendencyIsTheChangeToFirstOrder) {
  FluxFormRun run(fct("5", "none"), flow_of(vortices), 0, 0, 64, 1e-7);
  run.fill([](int i, int j) { return std::sin(0.1 * i) * std::cos(0.08 * j); });
  run.advance();
  std::vector<double> values(amr::PatchView::size(1, run.ghosts));
  const amr::PatchView tendency(values.data(), 1, run.ghosts);
  run.solver->tendency(run.before, run.coefficients, {-2, 18, -2, 18}, tendency);
  const auto change = (run.after.interior() - run.before.interior()).eval();
  EXPECT_LE((change - tendency.interior()).abs().maxCoeff(), 1e-3 * change.abs().maxCoeff());
  EXPECT_GT(change.abs().maxCoeff(), 1e-8);
}

TEST(FluxFormFct, GivenEachInstructionSetThenTheBitsAreTheSame) {
  FluxFormRun run(fct("9", "fct"), flow_of(vortices));
  run.fill(noise);
  const auto kernels = kumiko::test::kernels_here(
      &solvers::fct::step_baseline, &solvers::fct::step_avx2, &solvers::fct::step_avx512);
  const std::vector<double> velocities = rough_courant_numbers(60 * 60);
  const double* const v = velocities.data() + 20 * 40;
  for (const int order : {3, 5, 7, 9}) {
    for (const bool limited : {true, false}) {
      std::vector<double> first;
      for (const solvers::fct::Kernel kernel : kernels) {
        flux_form::Fluxes fluxes;
        kernel({run.before.origin(), run.before.stride(), v, 40, v, 40, run.after.origin(),
                run.after.stride(), 0.0, &fluxes},
               order, limited);
        std::vector<double> made = values_of(fluxes);
        made.insert(made.end(), run.after_values.begin(), run.after_values.end());
        if (first.empty()) first = made;
        EXPECT_EQ(std::memcmp(first.data(), made.data(), first.size() * 8), 0);
      }
    }
  }
}

TEST(FiniteVolumeUpwind3, GivenEachInstructionSetThenTheBitsAreTheSame) {
  FluxFormRun run({"finite_volume_upwind3"}, flow_of(vortices));
  run.fill(noise);
  const auto kernels = kumiko::test::kernels_here(&upwind3::step_baseline, &upwind3::step_avx2,
                                                  &upwind3::step_avx512);
  const std::vector<double> velocities = rough_courant_numbers(60 * 60);
  const double* const v = velocities.data() + 20 * 40;
  for (const bool is_scaled : {false, true}) {
    std::vector<double> first;
    for (const upwind3::Kernel kernel : kernels) {
      flux_form::Fluxes fluxes;
      upwind3::Step step{run.before.origin(), run.before.stride(), {},
                         run.after.origin(),  run.after.stride(),  &fluxes};
      for (upwind3::StageFaces& faces : step.faces) {
        faces = {v, 40, v, 40, is_scaled, -0.37};
      }
      kernel(step);
      std::vector<double> made = values_of(fluxes);
      made.insert(made.end(), run.after_values.begin(), run.after_values.end());
      if (first.empty()) first = made;
      EXPECT_EQ(std::memcmp(first.data(), made.data(), first.size() * 8), 0);
    }
  }
}

}  // namespace
}  // namespace kumiko::solvers
