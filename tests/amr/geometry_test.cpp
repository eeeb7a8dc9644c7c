// Contract: points, patches and spacings follow from the base grid; wrong base grids are refused.
#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <kumiko/amr/geometry.hpp>

namespace kumiko::amr {
namespace {

TEST(Geometry, GivenABaseGridWhenRefinedThenPointsDoubleAndNodesCoincide) {
  const Geometry geometry(256, 128, {1.0, 0.5}, {});
  EXPECT_EQ(geometry.points_x(2), 1024);
  EXPECT_EQ(geometry.points_y(2), 512);
  EXPECT_EQ(geometry.patches_x(1), 32);
  EXPECT_EQ(geometry.patches_y(1), 16);
  EXPECT_EQ(geometry.spacing(2), 1.0 / 1024);
  EXPECT_EQ(geometry.coordinate(0, 37), geometry.coordinate(2, 4 * 37));
}

TEST(Geometry, GivenABaseThatIsNoMultipleOf16ThenItIsRefusedByName) {
  try {
    Geometry(100, 96, {1.0, 1.0}, {});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("100"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("multiple of 16"), std::string::npos) << error.what();
  }
  EXPECT_THROW(Geometry(0, 16, {1.0, 1.0}, {}), std::invalid_argument);
  EXPECT_THROW(Geometry(-16, 16, {1.0, 1.0}, {}), std::invalid_argument);
}

TEST(Geometry, GivenUnequalSpacingsThenTheyAreRefused) {
  EXPECT_THROW(Geometry(64, 32, {1.0, 1.0}, {}), std::invalid_argument);
}

TEST(Geometry, GivenAPeriodicSideWhenAPatchLiesBeyondThenItWraps) {
  const Geometry geometry(64, 64, {1.0, 1.0},
                          {BoundaryKind::kPeriodic, BoundaryKind::kFixedValue, 0.0});
  const BaseGrid<2>& base = geometry.base_grid();
  EXPECT_EQ(base.wrap({0, -1, 0}), (PatchId{0, 3, 0}));
  EXPECT_EQ(base.wrap({1, 8, 5}), (PatchId{1, 0, 5}));
  EXPECT_FALSE(base.inside(base.wrap({0, 0, -1})));
}

TEST(Geometry, GivenOneSideOfAPairPeriodicThenItIsRefusedAndBothAreNamed) {
  const Boundary periodic{BoundaryKind::kPeriodic, 0.0};
  const Boundary fixed;
  const auto refusal = [](const Boundaries& boundaries) -> std::string {
    try {
      Geometry(64, 64, {1.0, 1.0}, boundaries);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(refusal({periodic, fixed, fixed, fixed}).find("left side but not on its right"),
            std::string::npos);
  EXPECT_NE(refusal({fixed, periodic, fixed, fixed}).find("right side but not on its left"),
            std::string::npos);
  EXPECT_NE(refusal({fixed, fixed, fixed, periodic}).find("top side but not on its bottom"),
            std::string::npos);
  EXPECT_EQ(refusal({periodic, periodic, fixed, {BoundaryKind::kOutflow, 0.0}}), "accepted");
}

TEST(Geometry, GivenAValueOutsideThatIsNotFiniteThenItIsRefused) {
  Boundaries boundaries;
  boundaries.top.value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Geometry(64, 64, {1.0, 1.0}, boundaries), std::invalid_argument);
}

TEST(Geometry, GivenASideThatSomethingMayCrossThenTheDomainIsOpen) {
  const Boundary walls{BoundaryKind::kReflecting, 0.0};
  const Boundary turns{BoundaryKind::kPeriodic, 0.0};
  EXPECT_FALSE(Boundaries(turns, turns, walls, walls).is_open());
  EXPECT_TRUE(Boundaries(turns, turns, walls, {BoundaryKind::kOutflow, 0.0}).is_open());
  EXPECT_TRUE(Boundaries().is_open()) << "a value outside may come in";
}

TEST(PatchId, GivenAPatchThenParentAndChildrenAreInverse) {
  const PatchId id{1, 5, 2};
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    EXPECT_EQ(id.child(quadrant).parent(), id);
    EXPECT_EQ(id.child(quadrant).quadrant(), quadrant);
  }
}

}  // namespace
}  // namespace kumiko::amr
