// Contract: sides that prescribe the exact solution cost a solver of cell averages no accuracy, on
// one level and where the corners of the domain are refined.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "flow.hpp"
#include "flux_form_run.hpp"

namespace kumiko::solvers {
namespace {

/// Waves in a steady wind; in and out of the domain, or around it.
Flow waves(amr::BoundaryKind kind) {
  Flow flow;
  flow.kind = kind;
  flow.duration = 0.5;
  flow.psi = [](double x, double y, double) { return 0.75 * y + 0.5 * x; };
  flow.u = [](double x, double y, double t) { return std::sin(kTwoPi * (x + y - 0.25 * t)); };
  return flow;
}

/// Waves that carry themselves along the diagonal, before they break at t = 0.4.
Flow steepening_waves(amr::BoundaryKind kind) {
  Flow flow;
  flow.kind = kind;
  flow.duration = 0.2;
  flow.u = [](double x, double y, double t) {
    double u = 0.5;
    for (int round = 0; round < 8; ++round) {
      const double phase = kTwoPi * (x + y - 2.0 * u * t);
      const double rest = u - 0.5 - 0.2 * std::sin(phase);
      u -= rest / (1.0 + 0.2 * 2.0 * kTwoPi * t * std::cos(phase));
    }
    return u;
  };
  return flow;
}

double error_of(const Choice& choice, amr::BoundaryKind kind, int n, bool refined) {
  const bool burgers = choice.solver == "burgers";
  const Flow flow = burgers ? steepening_waves(kind) : waves(kind);
  const auto solver = choice.make();
  const auto backend = amr::make_backend("serial", 1);
  // A flow along both axes at Courant number 0.42; less where u itself is the speed.
  amr::SimulationOptions options = uniform(n, burgers ? n : 3 * n / 2);
  if (refined) {
    options.levels = 2;
    options.refinement.threshold = 0.999;
    for (const double x : {0.0, 0.75}) {
      for (const double y : {0.0, 0.75}) {
        options.refinement.regions.push_back({x, x + 0.25, y, y + 0.25, 1, 1});
      }
    }
    if (solver->traits().tendency) {
      options.time_interpolation = amr::TimeInterpolation::kQuadratic;
    }
  }
  amr::Simulation run(flow, *solver, *backend, options);
  run.advance(options.steps);
  if (refined) {
    EXPECT_EQ(run.hierarchy().level(1).size(), static_cast<std::size_t>(n * n / 256))
        << "the corners";
  }
  return amr::error_norms(run.hierarchy(), flow, run.time(), *backend)->rms;
}

class PrescribedSides : public testing::TestWithParam<Choice> {};

TEST_P(PrescribedSides, GivenTheExactSolutionThenTheErrorIsThatOfADomainWithoutSides) {
  const int coarse = GetParam().solver == "burgers" ? 16 : 32;
  for (const int n : {coarse, 2 * coarse}) {
    const double around = error_of(GetParam(), amr::BoundaryKind::kPeriodic, n, false);
    const double beside = error_of(GetParam(), amr::BoundaryKind::kPrescribed, n, false);
    EXPECT_LT(beside, 1.1 * around) << n << " cells";
  }
}

TEST_P(PrescribedSides, GivenRefinedCornersThenTheyAddNoErrorOfLowOrder) {
  const int n = GetParam().solver == "burgers" ? 32 : 64;
  const double around = error_of(GetParam(), amr::BoundaryKind::kPeriodic, n, true);
  const double beside = error_of(GetParam(), amr::BoundaryKind::kPrescribed, n, true);
  EXPECT_LT(beside, 1.1 * around);
}

INSTANTIATE_TEST_SUITE_P(
    Solvers, PrescribedSides,
    testing::Values(
        Choice{"upwind1"}, Choice{"finite_volume_upwind3"}, Choice{"burgers"},
        Choice{"flux_form_fct", {{"order", std::string("3")}}},
        Choice{"flux_form_fct", {{"order", std::string("5")}, {"limiter", std::string("none")}}},
        Choice{"flux_form_fct", {{"order", std::string("9")}, {"limiter", std::string("none")}}}),
    [](const auto& of) {
      std::string name = of.param.solver;
      for (const auto& [key, value] : of.param.parameters) {
        name += "_" + std::get<std::string>(value);
      }
      return name;
    });

}  // namespace
}  // namespace kumiko::solvers
