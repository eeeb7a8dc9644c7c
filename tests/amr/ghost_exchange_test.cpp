// Contract: after fill(), every ghost holds what the level, the level below or the boundary says.
#include "ghosts/ghost_exchange.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using test::cubic_solver;
using test::FunctionCase;
using test::island;
using test::sample;

/// Fills the ghosts of every level, coarse to fine, with all levels at the same time.
void fill_all(Hierarchy& hierarchy, const GhostExchange& exchange) {
  for (int level = 0; level < hierarchy.max_levels(); ++level) {
    for (std::size_t slot = 0; slot < hierarchy.level(level).size(); ++slot) {
      exchange.fill(level, slot, State::kNow, {});
    }
  }
}

/// Calls check(x, y, value) for the ghosts of every patch of a level.
template <class Check>
void for_each_ghost(const Hierarchy& hierarchy, int index, int ghosts, Check check) {
  const Geometry& geometry = hierarchy.geometry();
  const Level& level = hierarchy.level(index);
  for (std::size_t slot = 0; slot < level.size(); ++slot) {
    const Patch& patch = level.patch(slot);
    for (int j = -ghosts; j < kPatchSize + ghosts; ++j) {
      for (int i = -ghosts; i < kPatchSize + ghosts; ++i) {
        if (i >= 0 && j >= 0 && i < kPatchSize && j < kPatchSize) continue;
        check(geometry.coordinate(index, patch.id().i * kPatchSize + i),
              geometry.coordinate(index, patch.id().j * kPatchSize + j), patch.now()(i, j));
      }
    }
  }
}

double cubic_field(double x, double y) {
  return (((2.0 * x - 3.0) * x + 1.0) * x + 0.5) * (((y + 1.0) * y - 2.0) * y + 1.0);
}

/// By layers of ghosts.
class GhostLayers : public ::testing::TestWithParam<int> {
 protected:
  PatchShape shape() const { return {1, GetParam(), 0}; }
};
INSTANTIATE_TEST_SUITE_P(With, GhostLayers, ::testing::Range(2, 9));

TEST_P(GhostLayers, GivenACubicFieldOnAnIslandThenCoarseFineGhostsReproduceIt) {
  const auto hierarchy = island({}, shape());
  sample(*hierarchy, cubic_field);
  const FunctionCase problem;
  const auto solver = cubic_solver();
  const GhostExchange exchange(*hierarchy, problem, *solver, TimeInterpolation::kCharacteristic);
  fill_all(*hierarchy, exchange);
  for (int level = 1; level < 3; ++level) {
    for_each_ghost(*hierarchy, level, GetParam(), [&](double x, double y, double value) {
      ASSERT_NEAR(value, cubic_field(x, y), 1e-14) << "level " << level << " " << x << " " << y;
    });
  }
}

TEST(GhostExchange, GivenAFixedValueThenGhostsOutsideHoldItAndThoseInsideTheField) {
  const auto hierarchy =
      island({BoundaryKind::kFixedValue, BoundaryKind::kFixedValue, -3.5}, test::kShape);
  sample(*hierarchy, cubic_field);
  const FunctionCase problem;
  const auto solver = cubic_solver();
  const GhostExchange exchange(*hierarchy, problem, *solver, TimeInterpolation::kLinear);
  fill_all(*hierarchy, exchange);
  for_each_ghost(*hierarchy, 0, test::kShape.ghosts, [&](double x, double y, double value) {
    const bool outside = x < 0.0 || y < 0.0 || x >= 1.0 || y >= 1.0;
    ASSERT_EQ(value, outside ? -3.5 : cubic_field(x, y)) << x << " " << y;
  });
}

TEST_P(GhostLayers, GivenPeriodicSidesThenGhostsComeFromTheOtherSide) {
  const auto hierarchy = island({BoundaryKind::kPeriodic, BoundaryKind::kPeriodic, 0.0}, shape());
  const auto wrap = [](double s) { return s - std::floor(s); };
  sample(*hierarchy, cubic_field);
  const FunctionCase problem;
  const auto solver = cubic_solver();
  const GhostExchange exchange(*hierarchy, problem, *solver, TimeInterpolation::kLinear);
  fill_all(*hierarchy, exchange);
  for_each_ghost(*hierarchy, 0, GetParam(), [&](double x, double y, double value) {
    ASSERT_EQ(value, cubic_field(wrap(x), wrap(y))) << x << " " << y;
  });
}

TEST(GhostExchange, GivenATimeBetweenCoarseStatesThenLinearGhostsLieBetweenThem) {
  const auto hierarchy = island({}, test::kShape);
  sample(*hierarchy, [](double, double) { return 1.0; });
  const FunctionCase problem;
  const auto solver = cubic_solver();
  const GhostExchange exchange(*hierarchy, problem, *solver, TimeInterpolation::kLinear);
  fill_all(*hierarchy, exchange);
  Level& coarse = hierarchy->level(1);
  for (std::size_t slot = 0; slot < coarse.size(); ++slot) {
    coarse.patch(slot).next().with_ghosts() = 3.0;
  }
  const Level& fine = hierarchy->level(2);
  const auto corner = static_cast<std::size_t>(hierarchy->mesh().find({2, 6, 6}));
  exchange.fill(2, corner, State::kNow, {.time = 0.5, .since_coarse = 0.5, .fraction = 0.5});
  EXPECT_EQ(fine.patch(corner).now()(-1, -1), 2.0);
  EXPECT_EQ(fine.patch(corner).now()(16, 3), 1.0) << "siblings do not blend";
  exchange.fill(2, corner, State::kNow, {.time = 1.0, .since_coarse = 1.0, .fraction = 1.0});
  EXPECT_EQ(fine.patch(corner).now()(-1, -1), 3.0);
}

TEST(GhostExchange, GivenATimeAfterTheCoarseStateThenCharacteristicGhostsComeFromDeparturePoints) {
  const auto hierarchy = island({}, test::kShape);
  sample(*hierarchy, cubic_field);
  FunctionCase problem;
  problem.vx = [](double, double) { return 0.75; };
  problem.vy = [](double, double) { return -0.5; };
  const auto solver = cubic_solver();
  const GhostExchange exchange(*hierarchy, problem, *solver, TimeInterpolation::kCharacteristic);
  fill_all(*hierarchy, exchange);
  const Level& fine = hierarchy->level(2);
  const auto corner = static_cast<std::size_t>(hierarchy->mesh().find({2, 6, 6}));
  const double tau = 1.0 / 256;
  exchange.fill(2, corner, State::kNow, {.time = tau, .since_coarse = tau, .fraction = 0.5});
  const auto at = [](int i) { return (6 * kPatchSize + i) / 256.0; };
  for (int j = -2; j < 18; ++j) {
    ASSERT_NEAR(fine.patch(corner).now()(-2, j),
                cubic_field(at(-2) - 0.75 * tau, at(j) + 0.5 * tau), 1e-14);
  }
}

TEST(GhostExchange, GivenASteadyVelocityThenDisplacementsStayWithTheirPatchesWhenTheMeshChanges) {
  const auto hierarchy = island({}, test::kShape);
  sample(*hierarchy, cubic_field);
  int asked = 0;
  FunctionCase problem;
  problem.vx = [&](double, double) { return ++asked, 0.75; };
  const auto solver = cubic_solver();
  GhostExchange exchange(*hierarchy, problem, *solver, TimeInterpolation::kCharacteristic);
  fill_all(*hierarchy, exchange);
  const auto fill = [&](const PatchId& id) {
    const double tau = 1.0 / 256;
    exchange.fill(2, static_cast<std::size_t>(hierarchy->mesh().find(id)), State::kNow,
                  {.time = tau, .since_coarse = tau, .fraction = 0.5});
    return std::exchange(asked, 0);
  };
  EXPECT_GT(fill({2, 9, 9}), 0);
  std::vector<PatchId> ids = test::block(2, 6, 9, 6, 9);
  ids.erase(ids.begin());  // the slots of all others move
  hierarchy->change(2, ids);
  exchange.follow_mesh();
  EXPECT_EQ(fill({2, 9, 9}), 0) << "its sources are the same";
  EXPECT_GT(fill({2, 7, 7}), 0) << "its lower left corner has come to lie on the level below";
}

}  // namespace
}  // namespace kumiko::amr
