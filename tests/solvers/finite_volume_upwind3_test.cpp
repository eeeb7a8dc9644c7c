// Contract: the scheme of finite_volume_upwind3.hpp, third order, conservative by the fluxes that
// it returns, stable up to the limit that it declares.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/plugin/face_velocities.hpp>
#include <kumiko/plugin/registry.hpp>

namespace kumiko::solvers {
namespace {

using amr::FaceAxis;
using amr::kPatchSize;
using amr::Points;
using amr::Vectors;

constexpr double kTwoPi = 2.0 * std::numbers::pi;
constexpr int kGhosts = 6;

using Function = std::function<double(double x, double y, double t)>;

/// A periodic case made of functions; without `psi` the velocity is (vx, vy).
struct Flow : amr::Case {
  Function u = [](double, double, double) { return 0.0; };  ///< exact, for all times
  Function psi;
  Function vx = [](double, double, double) { return 0.0; };
  Function vy = vx;
  double duration = 1.0;
  bool steady = true;
  amr::BoundaryKind kind = amr::BoundaryKind::kPeriodic;

  double end_time() const override { return duration; }
  amr::Boundaries boundaries() const override { return {kind, kind, 0.0}; }
  bool steady_velocity() const override { return steady; }
  void initial(Points points, int, std::span<double> values) const override {
    evaluate(u, points, 0.0, values);
  }
  bool exact(Points points, int, double time, std::span<double> values) const override {
    evaluate(u, points, time, values);
    return true;
  }
  void velocity(Points points, double time, Vectors velocity) const override {
    evaluate(vx, points, time, velocity.x);
    evaluate(vy, points, time, velocity.y);
  }
  bool stream_function(Points points, double time, std::span<double> values) const override {
    if (!psi) return false;
    evaluate(psi, points, time, values);
    return true;
  }
  static void evaluate(const Function& f, Points points, double time, std::span<double> values) {
    for (std::size_t at = 0; at < points.size(); ++at) {
      values[at] = f(points.x[at], points.y[at], time);
    }
  }
};

std::unique_ptr<amr::Solver> make() {
  return plugin::find_solver("finite_volume_upwind3")->make({});
}

amr::SimulationOptions uniform(int n, int steps) {
  amr::SimulationOptions options;
  options.points_x = n;
  options.points_y = n;
  options.levels = 1;
  options.steps = steps;
  options.time_interpolation = amr::TimeInterpolation::kLinear;
  return options;
}

/// Root mean square of the error at the end.
double error_of(const amr::Case& problem, int n, int steps) {
  const auto solver = make();
  const auto backend = amr::make_backend("serial", 1);
  amr::Simulation run(problem, *solver, *backend, uniform(n, steps));
  run.advance(steps);
  return amr::error_norms(run.hierarchy(), problem, run.time(), *backend)->rms;
}

double order(const amr::Case& problem, int n, int steps) {
  return std::log2(error_of(problem, n, steps) / error_of(problem, 2 * n, 2 * steps));
}

double gaussian(double dx, double dy) { return std::exp(-(dx * dx + dy * dy) / (2 * 0.08 * 0.08)); }
double periodic_gaussian(double dx, double dy) {
  return gaussian(dx - std::round(dx), dy - std::round(dy));
}

TEST(FiniteVolumeUpwind3, GivenATranslationThenTheOrderIsThree) {
  Flow flow;
  flow.u = [](double x, double y, double t) {
    return periodic_gaussian(x - 0.5 - 0.8 * t, y - 0.5 + 0.6 * t);
  };
  flow.psi = [](double x, double y, double) { return 0.8 * y + 0.6 * x; };
  EXPECT_GE(order(flow, 64, 64), 2.7);
}

TEST(FiniteVolumeUpwind3, GivenARotationThenTheOrderIsThree) {
  Flow flow;
  flow.kind = amr::BoundaryKind::kFixedValue;
  flow.duration = 1.0;
  flow.u = [](double x, double y, double t) {
    const double dx = x - 0.5;
    const double dy = y - 0.5;
    return gaussian(std::cos(t) * dx + std::sin(t) * dy, std::cos(t) * dy - std::sin(t) * dx - 0.1);
  };
  flow.psi = [](double x, double y, double) {
    return -0.5 * ((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5));
  };
  EXPECT_GE(order(flow, 64, 80), 2.7);
}

TEST(FiniteVolumeUpwind3, GivenAShearFlowThenTheOrderIsThree) {
  // The velocity varies along the faces that it crosses.
  Flow flow;
  flow.psi = [](double, double y, double) { return -0.5 * std::cos(kTwoPi * y) / kTwoPi; };
  flow.u = [](double x, double y, double t) {
    return std::sin(kTwoPi * (x - 0.5 * t * std::sin(kTwoPi * y))) * std::cos(kTwoPi * y);
  };
  EXPECT_GE(order(flow, 64, 64), 2.7);
}

TEST(FiniteVolumeUpwind3, GivenAVelocityWithoutStreamFunctionThenTheOrderIsThree) {
  Flow flow;
  flow.kind = amr::BoundaryKind::kFixedValue;
  flow.u = [](double x, double y, double t) {
    const double dx = x - 0.5;
    const double dy = y - 0.5;
    return gaussian(std::cos(t) * dx + std::sin(t) * dy, std::cos(t) * dy - std::sin(t) * dx - 0.1);
  };
  flow.vx = [](double, double y, double) { return 0.5 - y; };
  flow.vy = [](double x, double, double) { return x - 0.5; };
  EXPECT_GE(order(flow, 64, 80), 2.7);
}

TEST(FiniteVolumeUpwind3, GivenAnUnsteadyFlowThenTheOrderIsThree) {
  Flow flow;
  flow.steady = false;
  flow.psi = [](double x, double y, double t) {
    return std::cos(kTwoPi * t) * y - std::sin(kTwoPi * t) * x;
  };
  flow.u = [](double x, double y, double t) {
    return periodic_gaussian(x - 0.5 - std::sin(kTwoPi * t) / kTwoPi,
                             y - 0.5 - (1.0 - std::cos(kTwoPi * t)) / kTwoPi);
  };
  EXPECT_GE(order(flow, 64, 64), 2.7);
}

/// The scheme on n × n periodic cells as textbooks write it: convex combinations of stages, fluxes
/// by cell, no patches.
class Plain {
 public:
  Plain(int n, double dt, const Function& psi) : n_(n), u(values()), vx_(values()), vy_(values()) {
    const double h = 1.0 / n;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        vx_[at(i, j)] = (psi(i * h, (j + 1) * h, 0) - psi(i * h, j * h, 0)) / h * dt / h;
        vy_[at(i, j)] = -(psi((i + 1) * h, j * h, 0) - psi(i * h, j * h, 0)) / h * dt / h;
      }
    }
  }

  void step() {
    const std::vector<double> start = u;
    const std::vector<double> first = euler(start);
    const std::vector<double> second = euler(first);
    std::vector<double> middle(u.size());
    for (std::size_t k = 0; k < u.size(); ++k) middle[k] = 0.75 * start[k] + 0.25 * second[k];
    const std::vector<double> last = euler(middle);
    for (std::size_t k = 0; k < u.size(); ++k) u[k] = start[k] / 3.0 + 2.0 / 3.0 * last[k];
  }

  std::size_t at(int i, int j) const {
    return static_cast<std::size_t>(((j + n_) % n_) * n_ + (i + n_) % n_);
  }

 private:
  std::vector<double> values() const {
    return std::vector<double>(static_cast<std::size_t>(n_ * n_));
  }

  std::vector<double> euler(const std::vector<double>& w) const {
    const auto face = [](double v, double mm, double m, double p, double pp) {
      return v >= 0 ? (-mm + 5 * m + 2 * p) / 6 : (2 * m + 5 * p - pp) / 6;
    };
    const auto ux = [&](int i, int j) {
      return face(vx_[at(i, j)], w[at(i - 2, j)], w[at(i - 1, j)], w[at(i, j)], w[at(i + 1, j)]);
    };
    const auto uy = [&](int i, int j) {
      return face(vy_[at(i, j)], w[at(i, j - 2)], w[at(i, j - 1)], w[at(i, j)], w[at(i, j + 1)]);
    };
    const auto fx = [&](int i, int j) {
      return vx_[at(i, j)] * ux(i, j) +
             (vx_[at(i, j + 1)] - vx_[at(i, j - 1)]) / 2 * (ux(i, j + 1) - ux(i, j - 1)) / 2 / 12;
    };
    const auto fy = [&](int i, int j) {
      return vy_[at(i, j)] * uy(i, j) +
             (vy_[at(i + 1, j)] - vy_[at(i - 1, j)]) / 2 * (uy(i + 1, j) - uy(i - 1, j)) / 2 / 12;
    };
    std::vector<double> result(w.size());
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < n_; ++i) {
        result[at(i, j)] = w[at(i, j)] - (fx(i + 1, j) - fx(i, j)) - (fy(i, j + 1) - fy(i, j));
      }
    }
    return result;
  }

  int n_;

 public:
  std::vector<double> u;

 private:
  std::vector<double> vx_;
  std::vector<double> vy_;
};

double vortices(double x, double y, double) {
  return std::sin(kTwoPi * x) * std::cos(kTwoPi * y) / kTwoPi + 0.3 * y;
}

TEST(FiniteVolumeUpwind3, GivenAPeriodicFlowThenItAgreesWithAPlainProgram) {
  constexpr int kCells = 32;
  constexpr int kSteps = 50;
  Flow flow;
  flow.psi = vortices;
  flow.u = [](double x, double y, double) { return std::floor(4 * x) + 3.0 * std::floor(8 * y); };
  const auto solver = make();
  const auto backend = amr::make_backend("serial", 1);
  amr::Simulation run(flow, *solver, *backend, uniform(kCells, kSteps));
  Plain plain(kCells, run.dt(), vortices);
  for (int j = 0; j < kCells; ++j) {
    for (int i = 0; i < kCells; ++i) {
      plain.u[plain.at(i, j)] = flow.u((i + 0.5) / kCells, (j + 0.5) / kCells, 0);
    }
  }
  run.advance(10);
  for (int step = 0; step < 10; ++step) plain.step();
  const amr::Level& level = run.hierarchy().level(0);
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    const amr::Patch& patch = level.patch(slot);
    for (int j = 0; j < kPatchSize; ++j) {
      for (int i = 0; i < kPatchSize; ++i) {
        ASSERT_NEAR(patch.now()(i, j),
                    plain.u[plain.at(patch.id().i * kPatchSize + i, patch.id().j * kPatchSize + j)],
                    1e-12);
      }
    }
  }
}

TEST(FiniteVolumeUpwind3, GivenAConstantThenItStaysToRoundOff) {
  for (const bool steady : {true, false}) {
    Flow flow;
    flow.steady = steady;
    flow.psi = vortices;
    flow.u = [](double, double, double) { return 0.7; };
    const auto solver = make();
    const auto backend = amr::make_backend("serial", 1);
    amr::Simulation run(flow, *solver, *backend, uniform(32, 64));
    run.advance(64);
    const amr::FieldFigures figures = amr::field_figures(run.hierarchy(), *backend);
    EXPECT_NEAR(figures.maximum, 0.7, 1e-13);
    EXPECT_NEAR(figures.minimum, 0.7, 1e-13);
  }
}

/// One patch with its ghosts, its coefficients and the state after a step.
struct PatchRun {
  explicit PatchRun(const amr::Case& problem, int first_i = 0, int first_j = 0, int n = 64,
                    double dt = 0.01)
      : solver(make()), coefficients(solver->coefficients()), spacing(1.0 / n) {
    cfl = solver->prepare(problem, {{}, spacing, first_i, first_j}, 0.0, dt, coefficients);
  }

  void fill(const std::function<double(int, int)>& u) {
    for (int j = -kGhosts; j < kPatchSize + kGhosts; ++j) {
      for (int i = -kGhosts; i < kPatchSize + kGhosts; ++i) before(i, j) = u(i, j);
    }
  }
  void advance() { solver->advance_with_fluxes(before, coefficients, after, fluxes); }

  std::unique_ptr<amr::Solver> solver;
  std::vector<double> coefficients;
  double spacing;
  double cfl = 0.0;
  std::vector<double> before_values = std::vector<double>(amr::PatchView::size(1, kGhosts));
  std::vector<double> after_values = before_values;
  std::vector<double> flux_values = std::vector<double>(amr::FaceFluxes::size(1));
  amr::PatchView before{before_values.data(), 1, kGhosts};
  amr::PatchView after{after_values.data(), 1, kGhosts};
  amr::FaceFluxes fluxes{flux_values.data(), 1};
};

/// Values that depend on the cell of the level only: any patch sees the same.
double noise(int i, int j) {
  const auto seed = static_cast<unsigned>(7919 * i + 104729 * j + 1000000);
  return std::mt19937(seed)() / 4294967296.0;
}

Flow vortex_flow() {
  Flow flow;
  flow.psi = vortices;
  return flow;
}

TEST(Fluxes, GivenAStepThenEachQuadrantsGainIsWhatFlowsThroughItsSides) {
  PatchRun run(vortex_flow());
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
    EXPECT_GT(std::abs(gain), 1e-3) << "the check is empty";
  }
}

TEST(Fluxes, GivenTwoNeighboursThenTheyGiveTheFaceBetweenThemTheSameBits) {
  const Flow flow = vortex_flow();
  PatchRun west(flow, 16, 32);
  PatchRun east(flow, 32, 32);
  PatchRun north(flow, 16, 48);
  west.fill([](int i, int j) { return noise(16 + i, 32 + j); });
  east.fill([](int i, int j) { return noise(32 + i, 32 + j); });
  north.fill([](int i, int j) { return noise(16 + i, 48 + j); });
  for (PatchRun* const run : {&west, &east, &north}) run->advance();
  for (int k = 0; k < kPatchSize; ++k) {
    ASSERT_EQ(west.fluxes.line(FaceAxis::kX, 2)[k], east.fluxes.line(FaceAxis::kX, 0)[k]);
    ASSERT_EQ(west.fluxes.line(FaceAxis::kY, 2)[k], north.fluxes.line(FaceAxis::kY, 0)[k]);
  }
}

TEST(Fluxes, GivenAStepWithoutThemThenTheBitsAreTheSame) {
  PatchRun run(vortex_flow());
  run.fill(noise);
  run.advance();
  const std::vector<double> with = run.after_values;
  run.solver->advance(run.before, run.coefficients, run.after);
  EXPECT_EQ(run.after_values, with);
}

TEST(Tendency, GivenASmallStepThenItIsTheChangeToFirstOrder) {
  PatchRun run(vortex_flow(), 0, 0, 64, 1e-6);
  run.fill([](int i, int j) { return std::sin(0.3 * i) * std::cos(0.2 * j); });
  run.advance();
  std::vector<double> values(amr::PatchView::size(1, kGhosts));
  const amr::PatchView tendency(values.data(), 1, kGhosts);
  run.solver->tendency(run.before, run.coefficients, {-2, 18, -2, 18}, tendency);
  const auto change = (run.after.interior() - run.before.interior()).eval();
  EXPECT_LE((change - tendency.interior()).abs().maxCoeff(), 1e-4 * change.abs().maxCoeff());
  EXPECT_GT(change.abs().maxCoeff(), 1e-6);
}

TEST(Tendency, GivenPartsThenTheBitsAreThoseOfTheWhole) {
  PatchRun run(vortex_flow());
  run.fill(noise);
  std::vector<double> whole(amr::PatchView::size(1, kGhosts));
  std::vector<double> part = whole;
  run.solver->tendency(run.before, run.coefficients, {-2, 18, -2, 18}, {whole.data(), 1, kGhosts});
  const amr::PatchView view(part.data(), 1, kGhosts);
  run.solver->tendency(run.before, run.coefficients, {-2, 5, -2, 18}, view);
  run.solver->tendency(run.before, run.coefficients, {5, 18, -2, 3}, view);
  run.solver->tendency(run.before, run.coefficients, {5, 18, 3, 18}, view);
  EXPECT_EQ(part, whole);
}

TEST(FaceVelocities, GivenMoreLayersThanThereIsRoomForThenTheyAreRefused) {
  constexpr int kMargin = 7;
  std::vector<double> values(plugin::face_values(kMargin));
  EXPECT_THROW(plugin::fill_face_velocities(vortex_flow(), {{}, 1.0 / 64, 16, 32}, 0.0, 0.01,
                                            kMargin, values),
               std::invalid_argument);
}

TEST(FaceVelocities, GivenAnArrayThatIsTooShortThenItIsRefused) {
  constexpr int kMargin = 1;
  std::vector<double> values(plugin::face_values(kMargin) - 1);
  EXPECT_THROW(plugin::fill_face_velocities(vortex_flow(), {{}, 1.0 / 64, 16, 32}, 0.0, 0.01,
                                            kMargin, values),
               std::invalid_argument);
  EXPECT_THROW(plugin::cfl_number(values, kMargin), std::invalid_argument);
}

TEST(FaceVelocities, GivenALongerArrayThenItsFirstValuesAreThoseOfTheFaces) {
  constexpr int kMargin = 1;
  const amr::PatchPoints patch{{}, 1.0 / 64, 16, 32};
  for (const bool has_stream_function : {true, false}) {
    Flow flow = vortex_flow();
    flow.vx = vortices;
    if (!has_stream_function) flow.psi = {};
    std::vector<double> exact(plugin::face_values(kMargin));
    std::vector<double> longer(exact.size() + 5, std::numeric_limits<double>::quiet_NaN());
    plugin::fill_face_velocities(flow, patch, 0.0, 0.01, kMargin, exact);
    plugin::fill_face_velocities(flow, patch, 0.0, 0.01, kMargin, longer);
    EXPECT_TRUE(std::ranges::equal(exact, std::span(longer).first(exact.size())));
    EXPECT_TRUE(std::isnan(longer[exact.size()]));
    EXPECT_EQ(plugin::cfl_number(longer, kMargin), plugin::cfl_number(exact, kMargin));
  }
}

TEST(FaceVelocities, GivenAStreamFunctionThenNothingFlowsOutOfAnyCellOnBalance) {
  const Flow flow = vortex_flow();
  constexpr int kMargin = 4;
  std::vector<double> values(plugin::face_values(kMargin));
  plugin::fill_face_velocities(flow, {{}, 1.0 / 64, 16, 32}, 0.0, 0.01, kMargin, values);
  const plugin::Faces x = plugin::faces_x(values.data(), kMargin);
  const plugin::Faces y = plugin::faces_y(values.data(), kMargin);
  for (int j = -kMargin; j < kPatchSize + kMargin; ++j) {
    for (int i = -kMargin; i < kPatchSize + kMargin; ++i) {
      const double* const west = x.origin + j * x.stride + i;
      const double* const south = y.origin + j * y.stride + i;
      ASSERT_NEAR(west[1] - west[0] + south[y.stride] - south[0], 0.0, 1e-14);
    }
  }
}

TEST(FaceVelocities, GivenTheVelocityInsteadThenTheMeansAgreeToFourthOrder) {
  Flow by_velocity;
  by_velocity.vx = [](double x, double y, double) {
    return 0.3 - std::sin(kTwoPi * x) * std::sin(kTwoPi * y);
  };
  by_velocity.vy = [](double x, double y, double) {
    return -std::cos(kTwoPi * x) * std::cos(kTwoPi * y);
  };
  const auto difference = [&](int n) {
    constexpr int kMargin = 2;
    std::vector<double> a(plugin::face_values(kMargin));
    std::vector<double> b = a;
    // A fixed part of the domain: the patch at the origin shrinks with n, so compare maxima there.
    plugin::fill_face_velocities(vortex_flow(), {{}, 1.0 / n, 3, 5}, 0.0, 1.0 / n, kMargin, a);
    plugin::fill_face_velocities(by_velocity, {{}, 1.0 / n, 3, 5}, 0.0, 1.0 / n, kMargin, b);
    double largest = 0.0;
    for (std::size_t at = 0; at < a.size(); ++at)
      largest = std::max(largest, std::abs(a[at] - b[at]));
    return largest;
  };
  EXPECT_LE(difference(32), 1e-5);
  EXPECT_GE(std::log2(difference(32) / difference(64)), 3.5);
}

TEST(Cfl, GivenAUniformFlowThenTheNumberIsTheSumOverBothAxes) {
  Flow flow;
  flow.psi = [](double x, double y, double) { return 0.5 * y + 0.25 * x; };
  const PatchRun run(flow, 0, 0, 64, 0.01);
  EXPECT_NEAR(run.cfl, 0.75 * 0.01 * 64, 1e-12);
}

TEST(Cfl, GivenAVelocityThatIsNotANumberThenNeitherIsTheCfl) {
  Flow flow;
  flow.vx = [](double x, double, double) { return x > 0.2 ? std::nan("") : 0.0; };
  EXPECT_TRUE(std::isnan(PatchRun(flow).cfl));
}

/// Largest |u| of a periodic patch of noise after 400 steps along the diagonal at a CFL number.
double growth(double cfl) {
  Flow flow;
  flow.psi = [](double x, double y, double) { return 0.5 * y - 0.5 * x; };
  PatchRun run(flow, 0, 0, kPatchSize, cfl / kPatchSize);
  const auto wrapped = [](int i) { return (i + kPatchSize) % kPatchSize; };
  run.after.with_ghosts() = 0.0;
  for (int j = 0; j < kPatchSize; ++j) {
    for (int i = 0; i < kPatchSize; ++i) run.after(i, j) = noise(i, j) - 0.5;
  }
  for (int step = 0; step < 400; ++step) {
    run.fill([&](int i, int j) { return run.after(wrapped(i), wrapped(j)); });
    run.advance();
  }
  return run.after.interior().abs().maxCoeff();
}

TEST(Cfl, GivenTheDeclaredLimitThenNoiseDoesNotGrowButAboveTheTrueOneItDoes) {
  EXPECT_LE(growth(make()->traits().cfl_limit), 0.5);
  EXPECT_GT(growth(1.75), 1e3);
}

}  // namespace
}  // namespace kumiko::solvers
