// Contract: domains of any multiple of 16 points in each direction, and fields of several
// components, go through the whole engine: what a plain program computes, on every level and by
// every backend.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using test::cubic_solver;
using test::FunctionCase;
using test::run_options;

double bump(double x, double y) {
  return std::exp(-((x - 0.25) * (x - 0.25) + (y - 0.5) * (y - 0.5)) / (2.0 * 0.06 * 0.06));
}

/// 32 × 80 points on [0, 0.5] × [0, 1.25]; periodic in one direction, fixed and open in the other.
FunctionCase tall(bool periodic_x) {
  FunctionCase problem;
  problem.size = {0.5, 1.25};
  problem.u = bump;
  const Boundary around{BoundaryKind::kPeriodic, 0.0};
  const Boundary fixed{BoundaryKind::kFixedValue, 0.0};
  const Boundary open{BoundaryKind::kOutflow, 0.0};
  problem.sides = periodic_x ? Boundaries(around, around, fixed, open)
                             : Boundaries(fixed, open, around, around);
  problem.vx = [](double, double) { return 0.45; };
  problem.vy = [](double, double) { return 0.55; };
  return problem;
}

SimulationOptions tall_options(int levels, int steps) {
  SimulationOptions options = run_options(32, levels, steps);
  options.points_y = 80;
  options.refinement.buffer = 8;
  options.refinement.threshold = 0.04;
  return options;
}

TEST(Domain, GivenThirtyTwoByEightyPointsThenEveryLevelHasThatShape) {
  const FunctionCase problem = tall(true);
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  const Simulation run(problem, *solver, *backend, tall_options(3, 64));
  EXPECT_EQ(run.hierarchy().level(0).size(), 10U);
  EXPECT_EQ(run.hierarchy().geometry().patches_x(2), 8);
  EXPECT_EQ(run.hierarchy().geometry().patches_y(2), 20);
  EXPECT_EQ(run.hierarchy().used_levels(), 3);
}

/// One level by textbook Lagrange weights: no patches, no ghosts. Wraps along the periodic
/// direction; the other one has 0 below and the outermost value above.
std::vector<double> plain_run(bool periodic_x, int total_steps, int steps) {
  const int nx = 32;
  const int ny = 80;
  const double h = 0.5 / nx;
  const auto at = [](int i, int j) { return static_cast<std::size_t>(j * 32 + i); };
  std::vector<double> u(static_cast<std::size_t>(nx * ny));
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) u[at(i, j)] = bump(i * h, j * h);
  }
  const auto weight = [](int k, double f) {
    double product = 1.0;
    for (int m = -1; m <= 2; ++m) product *= m == k ? 1.0 : (f - m) / (k - m);
    return product;
  };
  const auto value = [&](int i, int j) {
    int& open = periodic_x ? j : i;
    const int count = periodic_x ? ny : nx;
    if (open < 0) return 0.0;
    open = std::min(open, count - 1);
    return u[at((i + nx) % nx, (j + ny) % ny)];
  };
  for (int step = 0; step < steps; ++step) {
    std::vector<double> next(u.size());
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        const double x = i - 0.45 / total_steps / h;
        const double y = j - 0.55 / total_steps / h;
        const int i0 = static_cast<int>(std::floor(x));
        const int j0 = static_cast<int>(std::floor(y));
        double sum = 0.0;
        for (int q = -1; q <= 2; ++q) {
          for (int p = -1; p <= 2; ++p) {
            sum += weight(p, x - i0) * weight(q, y - j0) * value(i0 + p, j0 + q);
          }
        }
        next[at(i, j)] = sum;
      }
    }
    u.swap(next);
  }
  return u;
}

class EitherDirection : public ::testing::TestWithParam<bool> {};

TEST_P(EitherDirection, GivenOneLevelThenItAgreesWithAPlainProgram) {
  const FunctionCase problem = tall(GetParam());
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  Simulation run(problem, *solver, *backend, tall_options(1, 64));
  run.advance(64);
  const std::vector<double> expected = plain_run(GetParam(), 64, 64);
  const Level& base = run.hierarchy().level(0);
  for (int j = 0; j < 80; ++j) {
    for (int i = 0; i < 32; ++i) {
      const auto slot = static_cast<std::size_t>(
          run.hierarchy().mesh().find({0, i / kPatchSize, j / kPatchSize}));
      ASSERT_NEAR(base.patch(slot).now()(i % kPatchSize, j % kPatchSize),
                  expected[static_cast<std::size_t>(j * 32 + i)], 1e-13)
          << i << " " << j;
    }
  }
}

TEST_P(EitherDirection, GivenThreeLevelsThenTheBumpIsWhereItShouldBeOnEveryBackend) {
  const FunctionCase problem = tall(GetParam());
  const auto solver = cubic_solver();
  std::vector<std::string> hashes;
  for (const auto& [name, workers] :
       {std::pair{"serial", 1}, std::pair{"threads", 3}, std::pair{"pthread", 4}}) {
    const auto backend = make_backend(name, workers);
    Simulation run(problem, *solver, *backend, tall_options(3, 64));
    run.advance(45);
    EXPECT_TRUE(run.hierarchy().mesh().unnested().empty());
    EXPECT_EQ(run.hierarchy().used_levels(), 3);
    hashes.push_back(state_hash(run.hierarchy()));
    ASSERT_EQ(hashes.back(), hashes.front()) << name;
    // 45/64 of the time: moved by (0.316, 0.387), around the side or out through it.
    const Geometry& geometry = run.hierarchy().geometry();
    const double period = GetParam() ? 0.5 : 1.25;
    double largest = 0.0;
    for (int index = 0; index < 3; ++index) {
      const Level& level = run.hierarchy().level(index);
      for (std::size_t slot = 0; slot < level.size(); ++slot) {
        const PatchId id = level.patch(slot).id();
        for (int at = 0; at < kPatchPoints; ++at) {
          const int i = at % kPatchSize;
          const int j = at / kPatchSize;
          const double x = geometry.coordinate(index, id.i * kPatchSize + i) - 0.45 * run.time();
          const double y = geometry.coordinate(index, id.j * kPatchSize + j) - 0.55 * run.time();
          double exact = bump(x, y);
          exact += GetParam() ? bump(x + period, y) : bump(x, y + period);
          // A node from the open side the scheme sees a slope of zero.
          if (!GetParam() && x + 0.45 * run.time() > 0.47) continue;
          largest = std::max(largest, std::abs(level.patch(slot).now()(i, j) - exact));
        }
      }
    }
    EXPECT_LT(largest, 0.02);
  }
}

INSTANTIATE_TEST_SUITE_P(Periodic, EitherDirection, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "AlongX" : "AlongY"; });

/// A case of several components, each a function.
struct ManyComponentCase : FunctionCase {
  std::vector<test::ScalarField> fields;
  int components() const override { return static_cast<int>(fields.size()); }
  void initial(Points points, int component, std::span<double> values) const override {
    const auto& field = fields[static_cast<std::size_t>(component)];
    for (std::size_t at = 0; at < points.size(); ++at) {
      values[at] = field(points.x[at], points.y[at]);
    }
  }
  /// The mesh must not depend on the components, for runs of one and of both to be compared.
  bool refinement_indicator(const RefinementPatch& patch,
                            std::span<double> indicator) const override {
    for (std::size_t at = 0; at < indicator.size(); ++at) {
      indicator[at] = std::hypot(patch.points.x[at] - 0.5 - 0.2 * std::sin(patch.time),
                                 patch.points.y[at] - 0.5) < 0.12
                          ? 1.0
                          : 0.0;
    }
    return true;
  }
};

/// The cubic solver for any number of components.
class ManyComponentSolver final : public Solver {
 public:
  explicit ManyComponentSolver(int components) : traits_(inner_->traits()) {
    traits_.components = components;
  }
  const SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return inner_->coefficients(); }
  double prepare(const Case& problem, const PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    return inner_->prepare(problem, patch, time, dt, coefficients);
  }
  void advance(ConstPatchView before, std::span<const double> coefficients,
               PatchView after) const override {
    inner_->advance(before, coefficients, after);
  }
  void displacement(const Case& problem, Points points, double time, double tau,
                    Vectors displacement) const override {
    inner_->displacement(problem, points, time, tau, displacement);
  }

 private:
  std::unique_ptr<Solver> inner_ = cubic_solver();
  SolverTraits traits_;
};

ManyComponentCase turning(std::vector<test::ScalarField> fields) {
  ManyComponentCase problem;
  problem.fields = std::move(fields);
  problem.vx = [](double, double y) { return 0.4 - y; };
  problem.vy = [](double x, double) { return x - 0.45; };
  problem.sides = {{BoundaryKind::kFixedValue, 0.25},
                   {BoundaryKind::kOutflow, 0.0},
                   {BoundaryKind::kPeriodic, 0.0},
                   {BoundaryKind::kPeriodic, 0.0}};
  return problem;
}

class ManyComponents : public ::testing::TestWithParam<TimeInterpolation> {};

TEST_P(ManyComponents, GivenTwoThenEachIsThatOfARunOfItsOwnBitForBit) {
  const test::ScalarField first = [](double x, double y) {
    return std::sin(9.0 * x) * std::cos(5.0 * y);
  };
  const test::ScalarField second = [](double x, double y) { return std::exp(x - 2.0 * y) - 0.3; };
  const auto backend = make_backend("threads", 2);
  SimulationOptions options = run_options(64, 3, 80);
  options.time_interpolation = GetParam();
  options.refinement.criterion = Criterion::kUser;
  const ManyComponentCase both = turning({first, second});
  const std::array<ManyComponentCase, 2> alone = {turning({first}), turning({second})};
  const ManyComponentSolver two(2);
  const ManyComponentSolver one(1);
  Simulation run(both, two, *backend, options);
  Simulation run_first(alone[0], one, *backend, options);
  Simulation run_second(alone[1], one, *backend, options);
  const std::array<const Simulation*, 2> expected = {&run_first, &run_second};
  for (Simulation* simulation : {&run, &run_first, &run_second}) simulation->advance(22);
  std::size_t fine = 0;
  for (int index = 0; index < 3; ++index) {
    const Level& level = run.hierarchy().level(index);
    for (int component = 0; component < 2; ++component) {
      const Level& other = expected[static_cast<std::size_t>(component)]->hierarchy().level(index);
      ASSERT_EQ(level.size(), other.size());
      for (std::size_t slot = 0; slot < level.size(); ++slot) {
        ASSERT_EQ(level.patch(slot).id(), other.patch(slot).id());
        ASSERT_TRUE(
            (level.patch(slot).now().interior(component) == other.patch(slot).now().interior(0))
                .all())
            << to_string(level.patch(slot).id()) << " component " << component;
      }
    }
    if (index == 2) fine = level.size();
  }
  EXPECT_GT(fine, 20U);
}

INSTANTIATE_TEST_SUITE_P(Time, ManyComponents,
                         ::testing::Values(TimeInterpolation::kCharacteristic,
                                           TimeInterpolation::kLinear));

TEST(TwoComponents, GivenTwoWhenLoehnerRefinesThenItIsWhereEitherAsksFor) {
  const test::ScalarField left = [](double x, double y) {
    return std::hypot(x - 0.25, y - 0.5) < 0.1 ? 1.0 : 0.0;
  };
  const test::ScalarField right = [](double x, double y) {
    return std::hypot(x - 0.75, y - 0.5) < 0.1 ? 1.0 : 0.0;
  };
  const auto backend = make_backend("serial", 1);
  const ManyComponentSolver two(2);
  const ManyComponentSolver one(1);
  const auto refined = [&](const std::vector<test::ScalarField>& fields, const Solver& solver) {
    ManyComponentCase problem = turning(fields);
    problem.sides = {BoundaryKind::kPeriodic, BoundaryKind::kPeriodic, 0.0};
    const Simulation run(problem, solver, *backend, run_options(64, 2, 80));
    return run.hierarchy().level(1).size();
  };
  const std::size_t in_left = refined({left}, one);
  const std::size_t in_right = refined({right}, one);
  ASSERT_GT(in_left, 0U);
  EXPECT_EQ(refined({left, right}, two), in_left + in_right);
}

TEST(ComponentNames, GivenNoneOfItsOwnThenACaseHasUOrNumberedOnes) {
  const test::ScalarField zero = [](double, double) { return 0.0; };
  EXPECT_EQ(turning({zero}).component_names(), std::vector<std::string>{"u"});
  EXPECT_EQ(turning({zero, zero, zero}).component_names(),
            (std::vector<std::string>{"u0", "u1", "u2"}));
}

TEST(ComponentNames, GivenNamesThatFilesCannotHoldThenTheRunIsRefused) {
  struct Named : FunctionCase {
    std::vector<std::string> names;
    int components() const override { return 2; }
    std::vector<std::string> component_names() const override { return names; }
  };
  const auto backend = make_backend("serial", 1);
  const auto solver = cubic_solver();
  Named problem;
  using Names = std::vector<std::string>;
  const auto run = [&](const Names& names) {
    problem.names = names;
    Simulation(problem, *solver, *backend, run_options(16, 1, 1));
  };
  EXPECT_NO_THROW(run({"salt_2", "_Dye"}));
  for (const Names& names : {Names{"u"}, Names{"u", "u"}, Names{"u", ""}, Names{"u", "2u"},
                             Names{"u", "a/b"}, Names{"u", "a b"}, Names{"u", "worker"}}) {
    EXPECT_THROW(run(names), std::invalid_argument) << names.back();
  }
}

TEST(TwoComponents, GivenASolverForAnotherNumberThenTheRunIsRefused) {
  const ManyComponentCase problem = turning({bump, bump});
  const ManyComponentSolver three(3);
  const auto backend = make_backend("serial", 1);
  EXPECT_THROW(Simulation(problem, three, *backend, run_options(64, 1, 80)), std::invalid_argument);
}

TEST(CaseFacts, GivenMoreComponentsThanFilesHoldThenTheRunIsRefusedBeforeItsFirstStep) {
  const auto backend = make_backend("serial", 1);
  for (const int components : {kMostComponents, kMostComponents + 1}) {
    const ManyComponentCase problem =
        turning(std::vector<test::ScalarField>(static_cast<std::size_t>(components), bump));
    const ManyComponentSolver solver(components);
    const auto run = [&] { Simulation(problem, solver, *backend, run_options(16, 1, 80)); };
    if (components == kMostComponents) {
      EXPECT_NO_THROW(run());
    } else {
      EXPECT_THROW(run(), std::invalid_argument);
    }
  }
}

TEST(CaseFacts, GivenATimeOrADomainThatNoRunCanHaveThenItIsRefusedByItsName) {
  const auto backend = make_backend("serial", 1);
  const auto solver = cubic_solver();
  const auto refusal = [&](const FunctionCase& problem) -> std::string {
    try {
      Simulation(problem, *solver, *backend, run_options(64, 1, 80));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  FunctionCase problem;
  EXPECT_EQ(refusal(problem), "accepted");
  for (const double time : {-1.0, 0.0, std::nan(""), HUGE_VAL}) {
    problem.duration = time;
    EXPECT_NE(refusal(problem).find("end time"), std::string::npos) << time;
  }
  problem.duration = 1.0;
  for (const Extent& size : {Extent{0.0, 0.0}, Extent{-1.0, 1.0}, Extent{std::nan(""), 1.0}}) {
    problem.size = size;
    EXPECT_NE(refusal(problem).find("domain"), std::string::npos) << size.x;
  }
}

}  // namespace
}  // namespace kumiko::amr
