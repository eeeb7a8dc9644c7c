// Contract: runs of a flux-form solver on several levels keep the mass to round-off, through
// subcycling and regridding, keep constants, and keep the solver's order with ghosts on a parabola
// in time.
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "fixtures.hpp"
#include "stepping/time_stepper.hpp"
#include "transfer/sampling.hpp"

namespace kumiko::amr {
namespace {

using test::FunctionCase;
using test::run_options;

constexpr double kTwoPi = 2.0 * std::numbers::pi;

std::unique_ptr<Solver> flux_solver() {
  return plugin::find_solver("finite_volume_upwind3")->make({});
}

/// A periodic case with a stream function.
struct StreamCase : FunctionCase {
  test::ScalarField psi;
  bool stream_function(Points points, double, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) values[at] = psi(points.x[at], points.y[at]);
    return true;
  }
};

/// A solver that is said to have no fluxes, so that nothing is refluxed.
class WithoutFluxes final : public test::WrappedSolver {
 public:
  WithoutFluxes() : WrappedSolver(flux_solver()) { traits_.flux_form = false; }
};

/// A disk with an edge, in vortices that carry it across every side of the periodic domain.
StreamCase stirred_disk() {
  StreamCase problem;
  problem.psi = [](double x, double y) {
    return 0.2 * std::sin(kTwoPi * x) * std::sin(kTwoPi * y) + 0.9 * y - 0.7 * x;
  };
  problem.u = [](double x, double y) { return std::hypot(x - 0.3, y - 0.6) < 0.2 ? 1.0 : 0.1; };
  return problem;
}

/// Largest relative change of the mass seen within 200 base steps, 800 of the finest level (with
/// subcycling).
double mass_drift(const Solver& solver, const Case& problem, TimeInterpolation interpolation,
                  bool subcycling = true) {
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = run_options(48, 3, subcycling ? 200 : 800);
  options.subcycling = subcycling;
  options.time_interpolation = interpolation;
  Simulation run(problem, solver, *backend, options);
  const double mass = field_figures(run.hierarchy(), *backend).mass;
  double drift = 0.0;
  for (int part = 0; part < 20; ++part) {
    run.advance(10);
    drift = std::max(drift, std::abs(field_figures(run.hierarchy(), *backend).mass - mass) / mass);
  }
  EXPECT_EQ(run.hierarchy().used_levels(), 3);
  EXPECT_GT(run.counters().regrids, 40U);
  return drift;
}

TEST(FluxForm, GivenSubcyclingAndRegriddingThenTheMassStaysToRoundOff) {
  const auto solver = flux_solver();
  EXPECT_LE(mass_drift(*solver, stirred_disk(), TimeInterpolation::kQuadratic), 1e-13);
  EXPECT_LE(mass_drift(*solver, stirred_disk(), TimeInterpolation::kLinear), 1e-13);
}

TEST(FluxForm, GivenNoSubcyclingThenTheMassStaysToRoundOff) {
  const auto solver = flux_solver();
  EXPECT_LE(mass_drift(*solver, stirred_disk(), TimeInterpolation::kQuadratic, false), 1e-13);
}

TEST(FluxForm, GivenReflectingWallsThatTheFlowRunsAlongThenTheMassStaysToRoundOff) {
  StreamCase problem;
  problem.sides = {BoundaryKind::kReflecting, BoundaryKind::kReflecting, 0.0};
  problem.psi = [](double x, double y) {
    return std::pow(std::sin(0.5 * kTwoPi * x) * std::sin(0.5 * kTwoPi * y), 2);
  };
  problem.u = [](double x, double y) { return std::hypot(x - 0.5, y - 0.9) < 0.2 ? 1.0 : 0.0; };
  EXPECT_LE(mass_drift(*flux_solver(), problem, TimeInterpolation::kQuadratic), 1e-13);
}

TEST(FluxForm, GivenNoRefluxingThenTheMassDrifts) {
  const WithoutFluxes solver;
  EXPECT_GE(mass_drift(solver, stirred_disk(), TimeInterpolation::kQuadratic), 1e-6);
}

/// Waves that a uniform flow carries.
struct MovingWaves : StreamCase {
  MovingWaves() {
    duration = 0.5;
    psi = [](double x, double y) { return 0.8 * y - 0.6 * x; };
    u = [](double x, double y) { return std::sin(kTwoPi * x) * std::cos(kTwoPi * y); };
  }
  bool exact(Points points, int, double time, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      values[at] = u(points.x[at] - 0.8 * time, points.y[at] - 0.6 * time);
    }
    return true;
  }
};

/// A Gaussian in solid rotation.
struct TurningBump : StreamCase {
  TurningBump() {
    sides = {};
    psi = [](double x, double y) { return -0.5 * (std::pow(x - 0.5, 2) + std::pow(y - 0.5, 2)); };
    u = [](double x, double y) {
      return std::exp(-(std::pow(x - 0.5, 2) + std::pow(y - 0.65, 2)) / (2.0 * 0.06 * 0.06));
    };
  }
  bool exact(Points points, int, double time, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double dx = points.x[at] - 0.5;
      const double dy = points.y[at] - 0.5;
      values[at] = u(0.5 + std::cos(time) * dx + std::sin(time) * dy,
                     0.5 - std::sin(time) * dx + std::cos(time) * dy);
    }
    return true;
  }
};

/// A run on a fixed mesh of two levels, the finer one on the dark squares of a chessboard of 4 × 4.
class Chessboard {
 public:
  Chessboard(int n, int steps, const Case& problem, TimeInterpolation interpolation)
      : problem_(problem),
        hierarchy_(Geometry(n, n, {1.0, 1.0}, problem.boundaries(), Centring::kCell), 2,
                   {1, solver_->traits().ghosts, solver_->coefficients(), true}),
        exchange_(hierarchy_, problem, *solver_, interpolation),
        stepper_(hierarchy_, problem, *solver_, *backend_, exchange_,
                 options(n, steps, interpolation)) {
    hierarchy_.change(1, dark_squares(2 * n / kPatchSize));
    for (int index = 0; index < 2; ++index) {
      Level& level = hierarchy_.level(index);
      std::vector<std::size_t> all(level.size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      for (const std::size_t slot : all) sample(level.patch(slot));
      stepper_.prepare(index, all, 0.0, [](std::size_t) {});
    }
  }

  void advance(int steps) {
    for (int step = 0; step < steps; ++step) {
      stepper_.advance(step, 1);
    }
  }
  ErrorNorms error() const {
    return *error_norms(hierarchy_, problem_, problem_.end_time(), *backend_);
  }
  FieldFigures figures() const { return field_figures(hierarchy_, *backend_); }

 private:
  static std::vector<PatchId> dark_squares(int patches) {
    std::vector<PatchId> ids;
    const int square = patches / 4;
    for (int j = 0; j < patches; ++j) {
      for (int i = 0; i < patches; ++i) {
        if ((i / square + j / square) % 2 == 0) ids.push_back({1, i, j});
      }
    }
    return ids;
  }
  static SimulationOptions options(int n, int steps, TimeInterpolation interpolation) {
    SimulationOptions result = run_options(n, 2, steps);
    result.time_interpolation = interpolation;
    return result;
  }
  void sample(Patch& patch) const {
    const auto initial = [&](Points points, std::span<double> values) {
      problem_.initial(points, 0, values);
      return true;
    };
    std::array<double, kPatchPoints> values;
    sample_patch(hierarchy_.geometry(), patch.id(), initial, values);
    patch.now().interior() = Eigen::Map<const FieldArray>(values.data(), kPatchSize, kPatchSize);
  }

  const Case& problem_;
  std::unique_ptr<Solver> solver_ = flux_solver();
  std::unique_ptr<Backend> backend_ = make_backend("serial", 1);
  Hierarchy hierarchy_;
  GhostExchange exchange_;
  TimeStepper stepper_;
};

ErrorNorms error(const Case& problem, int n, int steps, TimeInterpolation interpolation) {
  Chessboard run(n, steps, problem, interpolation);
  run.advance(steps);
  return run.error();
}

/// Order of the largest error from 64 to 128 cells at CFL number 1.4, half of them refined.
double largest_error_order(TimeInterpolation interpolation) {
  const MovingWaves problem;
  return std::log2(error(problem, 64, 32, interpolation).linf /
                   error(problem, 128, 64, interpolation).linf);
}

TEST(FluxForm, GivenGhostsOnAParabolaThenTheLargestErrorFallsAtTheSolversOrder) {
  EXPECT_GE(largest_error_order(TimeInterpolation::kQuadratic), 2.7);
}

TEST(FluxForm, GivenGhostsLinearInTimeThenTheLargestErrorFallsAtOrderTwo) {
  EXPECT_LE(largest_error_order(TimeInterpolation::kLinear), 2.3);
}

TEST(FluxForm, GivenARotationOverAChessboardThenTheOrderIsThatOfTheSolver) {
  const TurningBump problem;
  const ErrorNorms coarse = error(problem, 64, 64, TimeInterpolation::kQuadratic);
  const ErrorNorms fine = error(problem, 128, 128, TimeInterpolation::kQuadratic);
  EXPECT_GE(std::log2(coarse.rms / fine.rms), 2.7);
  EXPECT_GE(std::log2(coarse.linf / fine.linf), 2.7);
}

TEST(FluxForm, GivenAConstantThenItStaysToRoundOff) {
  StreamCase problem = stirred_disk();
  problem.u = [](double, double) { return 0.7; };
  for (const auto how : {TimeInterpolation::kLinear, TimeInterpolation::kQuadratic}) {
    Chessboard run(64, 128, problem, how);
    run.advance(100);
    EXPECT_NEAR(run.figures().maximum, 0.7, 1e-13);
    EXPECT_NEAR(run.figures().minimum, 0.7, 1e-13);
  }
}

TEST(FluxForm, GivenAnUnsteadyFlowThenAConstantChangesByTheFourthPowerOfTheStep) {
  // Coarse and fine steps take the mean of the velocity over the step by two quadratures.
  struct Swinging final : StreamCase {
    bool stream_function(Points points, double time, std::span<double> values) const override {
      StreamCase::stream_function(points, time, values);
      for (double& value : values) value *= std::cos(kTwoPi * time);
      return true;
    }
  };
  Swinging problem;
  problem.steady = false;
  problem.psi = stirred_disk().psi;
  problem.u = [](double, double) { return 0.7; };
  const auto change = [&](int steps) {
    Chessboard run(32, steps, problem, TimeInterpolation::kQuadratic);
    run.advance(steps / 4);
    return std::max(run.figures().maximum - 0.7, 0.7 - run.figures().minimum);
  };
  EXPECT_LE(change(64), 1e-6);
  EXPECT_GE(change(64) / change(128), 12.0);
}

TEST(FluxForm, GivenAnyBackendAndScheduleThenTheBitsAreTheSame) {
  const auto solver = flux_solver();
  StreamCase problem = stirred_disk();
  bool subcycling = true;
  const auto hash = [&](const char* name, int workers, Schedule schedule) {
    const auto backend = make_backend(name, workers);
    SimulationOptions options = run_options(48, 3, 800);
    options.subcycling = subcycling;
    options.time_interpolation = TimeInterpolation::kQuadratic;
    options.schedule = schedule;
    Simulation run(problem, *solver, *backend, options);
    run.advance(6);
    return state_hash(run.hierarchy());
  };
  for (const auto& [steady, subcycled] : {std::pair(true, true), {false, true}, {false, false}}) {
    problem.steady = steady;
    subcycling = subcycled;
    const std::string serial = hash("serial", 1, Schedule::kLevel);
    if (test::kOpenMpIsTestable) {
      EXPECT_EQ(hash("openmp", 2, Schedule::kLevel), serial);
    }
    EXPECT_EQ(hash("pthread", 3, Schedule::kLevel), serial);
    EXPECT_EQ(hash("threads", 2, Schedule::kLevel), serial);
    for (const int workers : {1, 2, 5, 16}) {
      EXPECT_EQ(hash("threads", workers, Schedule::kDataflow), serial) << workers;
    }
  }
}

TEST(FluxForm, GivenATimeInterpolationThatTheSolverCannotServeThenTheErrorNamesOneThatItCan) {
  const auto backend = make_backend("serial", 1);
  const auto message = [&](const Solver& solver, TimeInterpolation interpolation) -> std::string {
    SimulationOptions options = run_options(64, 2, 640);
    options.time_interpolation = interpolation;
    try {
      Simulation(StreamCase(stirred_disk()), solver, *backend, options);
    } catch (const std::invalid_argument& refusal) {
      return refusal.what();
    }
    return "";
  };
  const std::string traced = message(*flux_solver(), TimeInterpolation::kCharacteristic);
  EXPECT_NE(traced.find("set it to quadratic"), std::string::npos) << traced;
  const std::string nodes = message(*test::cubic_solver(), TimeInterpolation::kQuadratic);
  EXPECT_NE(nodes.find("set it to characteristic"), std::string::npos) << nodes;
}

}  // namespace
}  // namespace kumiko::amr
