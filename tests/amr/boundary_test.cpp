// Contract: every ghost beyond the domain has one value, which follows from the sides' kinds and
// the points within, whichever patch holds it; what flows out leaves nothing behind, and what flows
// in is the value given, or what the case says of the place, the component and the time.
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "fixtures.hpp"
#include "ghosts/boundary_fill.hpp"
#include "ghosts/ghost_exchange.hpp"

namespace kumiko::amr {
namespace {

using test::block;
using test::cubic_solver;
using test::FunctionCase;
using test::run_options;

constexpr int kGhosts = 3;
constexpr PatchShape kBoundedShape{2, kGhosts, 0};
constexpr Boundary kOut{BoundaryKind::kOutflow, 0.0};
constexpr Boundary kWall{BoundaryKind::kReflecting, 0.0};
constexpr Boundary kAround{BoundaryKind::kPeriodic, 0.0};
constexpr Boundary kSaid{BoundaryKind::kPrescribed, 0.0};
constexpr Boundary fixed(double value) { return {BoundaryKind::kFixedValue, value}; }

using Point = std::pair<int, int>;

/// Where an index beyond a pair of sides takes its value from, or which side's value it is.
struct Source {
  int index = 0;
  const Boundary* fixed = nullptr;
};

Source source(int index, int count, const Boundary& low, const Boundary& high) {
  if (index >= 0 && index < count) return {index};
  const bool below = index < 0;
  const Boundary& side = below ? low : high;
  switch (side.kind) {
    case BoundaryKind::kFixedValue:
      return {0, &side};
    case BoundaryKind::kPrescribed:
      return {index, &side};
    case BoundaryKind::kPeriodic:
      return {below ? index + count : index - count};
    case BoundaryKind::kOutflow:
      return {below ? 0 : count - 1};
    case BoundaryKind::kReflecting:
      return {below ? -1 - index : 2 * count - 1 - index};
  }
  return {};
}

/// Calls visit(I, J, value) for all points of a patch, ghosts too, in the level's indices.
template <class Visit>
void for_each_point(const Patch& patch, int component, Visit visit) {
  for (int j = -kGhosts; j < kPatchSize + kGhosts; ++j) {
    for (int i = -kGhosts; i < kPatchSize + kGhosts; ++i) {
      visit(patch.id().i * kPatchSize + i, patch.id().j * kPatchSize + j,
            patch.now()(i, j, component));
    }
  }
}

/// Different for every side, place, component and time.
double said(Side side, double x, double y, int component, double time) {
  return 10.0 * static_cast<int>(side) + std::sin(3.0 * x + 5.0 * y + 7.0 * time) + component;
}

/// 64×48 points with refined patches at two corners, along sides, and with gaps between them.
std::unique_ptr<Hierarchy> ragged(const Boundaries& boundaries) {
  auto hierarchy =
      std::make_unique<Hierarchy>(Geometry(64, 48, {1.0, 0.75}, boundaries), 2, kBoundedShape);
  std::vector<PatchId> ids = {{1, 0, 0}, {1, 1, 0}, {1, 0, 2}, {1, 4, 0}, {1, 6, 5},
                              {1, 7, 4}, {1, 7, 2}, {1, 3, 5}, {1, 4, 3}};
  hierarchy->change(1, std::move(ids));
  for (int index = 0; index < 2; ++index) {
    Level& level = hierarchy->level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      for (int component = 0; component < 2; ++component) {
        for (int at = 0; at < kPatchPoints; ++at) {
          level.patch(slot).now()(at % kPatchSize, at / kPatchSize, component) =
              std::sin(1.0 * at + 17.0 * static_cast<double>(slot) + 5.0 * component + index);
        }
      }
    }
  }
  return hierarchy;
}

class EverySide : public ::testing::TestWithParam<Boundaries> {};

TEST_P(EverySide, GivenARaggedMeshThenEachGhostOutsideIsTheValueOfItsPointInside) {
  const Boundaries sides = GetParam();
  const auto hierarchy = ragged(sides);
  constexpr double kTime = 0.375;
  FunctionCase problem;
  problem.beyond = said;
  const auto solver = cubic_solver();
  const GhostExchange exchange(*hierarchy, problem, *solver, TimeInterpolation::kLinear);
  for (int index = 0; index < 2; ++index) {
    const Level& level = hierarchy->level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      exchange.fill(index, slot, State::kNow, {.time = kTime});
    }
    const auto value_of = [&](Side low, const Source& source, int i, int j, int component) {
      if (source.fixed->kind == BoundaryKind::kFixedValue) return source.fixed->value;
      const bool lower = low == Side::kLeft ? i < 0 : j < 0;
      const Geometry& geometry = hierarchy->geometry();
      return said(lower ? low : static_cast<Side>(static_cast<int>(low) + 1),
                  geometry.coordinate(index, i), geometry.coordinate(index, j), component, kTime);
    };
    const int nx = hierarchy->geometry().points_x(index);
    const int ny = hierarchy->geometry().points_y(index);
    for (int component = 0; component < 2; ++component) {
      std::map<Point, double> inside;
      int outside = 0;
      const auto resolve = [&](int i, int j, double value, bool collect) {
        const Source x = source(i, nx, sides.left, sides.right);
        const Source y = source(j, ny, sides.bottom, sides.top);
        const bool within = x.fixed == nullptr && y.fixed == nullptr &&
                            (x.index == i || sides.periodic_x()) &&
                            (y.index == j || sides.periodic_y());
        if (within && collect) {
          const auto [at, is_new] = inside.emplace(Point{x.index, y.index}, value);
          ASSERT_EQ(at->second, value) << "level " << index << " (" << i << ", " << j << ")";
        } else if (!within && !collect) {
          ++outside;
          double expected = 0.0;
          if (x.fixed != nullptr) {
            const int seen_j = sides.periodic_y() ? y.index : j;
            expected = value_of(Side::kLeft, x, i, seen_j, component);
          } else if (y.fixed != nullptr) {
            expected = value_of(Side::kBottom, y, x.index, j, component);
          } else {
            expected = inside.at({x.index, y.index});
          }
          ASSERT_EQ(value, expected) << "level " << index << " (" << i << ", " << j << ")";
        }
      };
      for (const bool collect : {true, false}) {
        for (std::size_t slot = 0; slot < level.size(); ++slot) {
          for_each_point(level.patch(slot), component,
                         [&](int i, int j, double value) { resolve(i, j, value, collect); });
        }
      }
      EXPECT_GT(outside, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, EverySide,
    ::testing::Values(
        Boundaries(kOut, kOut, kOut, kOut), Boundaries(kWall, kWall, kWall, kWall),
        Boundaries(fixed(1), fixed(2), fixed(3), fixed(4)), Boundaries(fixed(1), kOut, kWall, kOut),
        Boundaries(kOut, fixed(2), fixed(3), kOut), Boundaries(kAround, kAround, kOut, kWall),
        Boundaries(kWall, fixed(7), kAround, kAround), Boundaries(kSaid, kSaid, kSaid, kSaid),
        Boundaries(kSaid, kOut, fixed(3), kSaid), Boundaries(kOut, kWall, kSaid, kSaid),
        Boundaries(kSaid, kOut, kAround, kAround), Boundaries(kAround, kAround, kWall, kSaid)));

TEST(Boundary, GivenANodeCentredFieldThenAReflectingWallIsRefusedWithItsSideAndARemedy) {
  FunctionCase problem;
  problem.sides = {kOut, kWall, kOut, kOut};
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  try {
    Simulation(problem, *solver, *backend, run_options(32, 1, 64));
    FAIL();
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("right"), std::string::npos) << message;
    EXPECT_NE(message.find("cell-centred"), std::string::npos) << message;
    EXPECT_NE(message.find("outflow"), std::string::npos) << message;
  }
}

/// Largest |u - exact| over the points of all levels that lie at least `margin` from the sides.
double largest_error(const Simulation& run, const test::ScalarField& exact, double margin) {
  const Geometry& geometry = run.hierarchy().geometry();
  double largest = 0.0;
  for (int index = 0; index < run.hierarchy().max_levels(); ++index) {
    const Level& level = run.hierarchy().level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      const Patch& patch = level.patch(slot);
      for (int at = 0; at < kPatchPoints; ++at) {
        const int i = at % kPatchSize;
        const int j = at / kPatchSize;
        const double x = geometry.coordinate(index, patch.id().i * kPatchSize + i);
        const double y = geometry.coordinate(index, patch.id().j * kPatchSize + j);
        if (std::min(x, y) < margin || std::max(x, y) > 1.0 - margin) continue;
        largest = std::max(largest, std::abs(patch.now()(i, j) - exact(x, y)));
      }
    }
  }
  return largest;
}

class EveryDirection : public ::testing::TestWithParam<std::pair<double, double>> {};

/// The largest errors of a Gaussian in uniform flow over the run, and the one at its end.
struct GaussianErrors {
  double anywhere = 0.0;
  double within = 0.0;  ///< four base cells and more from the sides
  double last = 0.0;    ///< anywhere
};

/// The Gaussian starts in the middle; a periodic domain brings it back there, others do not.
GaussianErrors move_gaussian(double vx, double vy, const Boundaries& sides) {
  const auto gaussian = [](double x, double y) {
    return std::exp(-((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5)) / (2.0 * 0.08 * 0.08));
  };
  FunctionCase problem;
  problem.u = gaussian;
  problem.vx = [vx](double, double) { return vx; };
  problem.vy = [vy](double, double) { return vy; };
  problem.sides = sides;
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  constexpr int kSteps = 96;
  Simulation run(problem, *solver, *backend, run_options(64, 2, kSteps));
  const auto around = [&](double s) { return sides.periodic_x() ? s - std::floor(s) : s; };
  GaussianErrors errors;
  for (int step = 0; step < kSteps; step += 4) {
    run.advance(4);
    const auto exact = [&](double x, double y) {
      return gaussian(around(x - vx * run.time()), around(y - vy * run.time()));
    };
    errors.last = largest_error(run, exact, 0.0);
    errors.anywhere = std::max(errors.anywhere, errors.last);
    errors.within = std::max(errors.within, largest_error(run, exact, 4.0 / 64));
  }
  return errors;
}

TEST_P(EveryDirection, GivenAGaussianThatLeavesThenTheErrorIsThatOfADomainItDoesNotLeave) {
  const auto [vx, vy] = GetParam();
  const GaussianErrors outflow = move_gaussian(vx, vy, {kOut, kOut, kOut, kOut});
  const GaussianErrors around = move_gaussian(vx, vy, {kAround, kAround, kAround, kAround});
  // At the side itself the scheme sees a slope of zero; a value of zero there gives errors of 0.07
  // to 0.2.
  EXPECT_LT(outflow.anywhere, 1e-2);
  EXPECT_LT(outflow.within, 1.02 * around.within) << "nothing comes back";
  EXPECT_LT(outflow.last, 1e-6) << "it has left";
}

INSTANTIATE_TEST_SUITE_P(Sides, EveryDirection,
                         ::testing::Values(std::pair{1.0, 0.0}, std::pair{-1.0, 0.0},
                                           std::pair{0.0, 1.0}, std::pair{0.0, -1.0},
                                           std::pair{0.8, -0.8}));

TEST(Boundary, GivenAnInflowOfAFixedValueThenItFillsTheDomainBehindItsFront) {
  constexpr double kInflow = 0.75;
  FunctionCase problem;
  problem.vx = [](double, double) { return 1.0; };
  problem.sides = {fixed(kInflow), kOut, kOut, kOut};
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  Simulation run(problem, *solver, *backend, run_options(64, 3, 128));
  run.advance(64);
  // The front is at 1/2 but for half a cell; a few base cells to both sides are its smear.
  const auto& base = run.hierarchy().level(0);
  for (int j = 0; j < kPatchSize; ++j) {
    const auto at = [&](int i) {
      const auto slot =
          static_cast<std::size_t>(run.hierarchy().mesh().find({0, i / kPatchSize, 1}));
      return base.patch(slot).now()(i % kPatchSize, j);
    };
    for (int i = 0; i < 24; ++i) ASSERT_NEAR(at(i), kInflow, 1e-3) << i;
    for (int i = 40; i < 64; ++i) ASSERT_NEAR(at(i), 0.0, 1e-3) << i;
  }
  run.advance(64);
  const auto middle = static_cast<std::size_t>(run.hierarchy().mesh().find({0, 2, 2}));
  EXPECT_NEAR(base.patch(middle).now()(8, 8), kInflow, 1e-9);
}

/// What flows in on the left depends on y and on the time, and is carried to the right.
struct WavyInflow final : FunctionCase {
  static constexpr double kSpeed = 0.8;

  static double entering(double y, double time) {
    return std::sin(2.0 * std::numbers::pi * time) *
           (1.0 + 0.5 * std::cos(2.0 * std::numbers::pi * y));
  }
  static double solution(double x, double y, double time) { return entering(y, time - x / kSpeed); }

  WavyInflow() {
    u = [](double x, double y) { return solution(x, y, 0.0); };
    vx = [](double, double) { return kSpeed; };
    beyond = [](Side, double x, double y, int, double time) { return solution(x, y, time); };
    sides = {kSaid, kOut, kAround, kAround};
  }
  bool exact(Points points, int, double time, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      values[at] = solution(points.x[at], points.y[at], time);
    }
    return true;
  }
};

struct InflowRun {
  double rms;
  std::string hash;
};

InflowRun run_wavy_inflow(const WavyInflow& problem, const char* solver_name, int n, int levels,
                          const test::Way& way) {
  const auto solver = plugin::find_solver(solver_name)->make({});
  const auto backend = make_backend(way.backend, way.workers);
  SimulationOptions options = run_options(n, levels, 2 * n);
  options.schedule = way.schedule;
  options.refinement.threshold = 0.02;
  Simulation run(problem, *solver, *backend, options);
  run.advance(2 * n);
  return {error_norms(run.hierarchy(), problem, run.time(), *backend)->rms,
          state_hash(run.hierarchy())};
}

TEST(Boundary, GivenAnInflowOfPlaceAndTimeThenTheSolutionIsTheExactOneCarriedOn) {
  const WavyInflow problem;
  const test::Way serial{"serial", 1, Schedule::kAuto};
  for (const char* const solver : {"semi_lagrangian_cubic", "finite_volume_upwind3"}) {
    const double coarse = run_wavy_inflow(problem, solver, 32, 1, serial).rms;
    const double fine = run_wavy_inflow(problem, solver, 64, 1, serial).rms;
    const double refined = run_wavy_inflow(problem, solver, 32, 2, serial).rms;
    EXPECT_LT(fine, 2e-3) << solver;
    EXPECT_LT(fine, 0.3 * coarse) << solver << ": of second order at least";
    EXPECT_LT(refined, 0.5 * coarse) << solver;
  }
}

TEST(Boundary, GivenAnInflowOfPlaceAndTimeThenEveryWayToRunGivesTheSameBits) {
  const WavyInflow problem;
  const std::string serial =
      run_wavy_inflow(problem, "semi_lagrangian_cubic", 32, 3, {"serial", 1, Schedule::kAuto}).hash;
  for (const test::Way& way :
       {test::Way{"threads", 2, Schedule::kDataflow}, test::Way{"threads", 2, Schedule::kLevel},
        test::Way{"pthread", 2, Schedule::kLevel}}) {
    EXPECT_EQ(run_wavy_inflow(problem, "semi_lagrangian_cubic", 32, 3, way).hash, serial)
        << way.backend;
  }
}

TEST(Boundary, GivenAPrescribedSideWithoutValuesThenTheRunSaysWhatIsMissing) {
  struct Silent final : FunctionCase {
    void boundary_values(Side side, Points points, int component, double time,
                         std::span<double> values) const override {
      Case::boundary_values(side, points, component, time, values);
    }
  } problem;
  problem.sides = {kSaid, kOut, kOut, kOut};
  const auto solver = cubic_solver();
  const auto backend = make_backend("serial", 1);
  try {
    Simulation run(problem, *solver, *backend, run_options(32, 2, 64));
    run.advance(1);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("boundary_values()"));
    EXPECT_THAT(error.what(), testing::HasSubstr("(the ghosts of level 0 patch (0, 0) at t = 0)"));
  }
}

}  // namespace
}  // namespace kumiko::amr
