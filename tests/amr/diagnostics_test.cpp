// Contract: figures are those of the leaves, weighted by area; the hash tells states apart.
#include <numbers>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using test::FunctionCase;
using test::island;

/// u is 2 in covered points, which must not count, and 1 in leaves, but for one point of 1.5.
std::unique_ptr<Hierarchy> island_with_poison() {
  auto hierarchy = island({}, {1, 2, 0});
  for (int index = 0; index < 3; ++index) {
    Level& level = hierarchy->level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot)
      level.patch(slot).now().interior() = 2.0;
    for (const auto& [slot, first, size] : hierarchy->mesh().leaf_boxes(index)) {
      level.patch(slot).now().interior().block(first[1], first[0], size, size) = 1.0;
    }
  }
  hierarchy->level(2).patch(0).now()(3, 4) = 1.5;
  return hierarchy;
}

struct KnownCase : FunctionCase {
  explicit KnownCase(double of_all = 1.0) : value(of_all) {}
  bool exact(Points points, int, double, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) values[at] = value;
    return true;
  }
  double value;
};

TEST(Diagnostics, GivenAnIslandThenMassExtremesAndErrorsAreThoseOfTheLeaves) {
  const auto hierarchy = island_with_poison();
  const auto backend = make_backend("serial", 1);
  const double area = 1.0 / (256.0 * 256.0);
  const FieldFigures figures = field_figures(*hierarchy, *backend);
  EXPECT_NEAR(figures.mass, 1.0 + 0.5 * area, 1e-14);
  EXPECT_EQ(figures.minimum, 1.0);
  EXPECT_EQ(figures.maximum, 1.5);
  EXPECT_TRUE(figures.finite);
  const auto errors = error_norms(*hierarchy, KnownCase{}, 0.0, *backend);
  ASSERT_TRUE(errors.has_value());
  EXPECT_NEAR(errors->rms, std::sqrt(0.25 * area), 1e-14);
  EXPECT_NEAR(errors->l1_relative, 0.5 * area, 1e-14);
  EXPECT_EQ(errors->linf, 0.5);
}

TEST(Diagnostics, GivenAnExactFieldOf4ThenTheAbsoluteL1ErrorIs4TimesTheRelativeOne) {
  const auto hierarchy = island_with_poison();
  const auto backend = make_backend("serial", 1);
  const double area = 1.0 / (256.0 * 256.0);
  const auto errors = error_norms(*hierarchy, KnownCase(4.0), 0.0, *backend);
  ASSERT_TRUE(errors.has_value());
  EXPECT_NEAR(errors->l1, 3.0 - 0.5 * area, 1e-14);
  EXPECT_NEAR(errors->l1_relative, errors->l1 / 4.0, 1e-14);
}

/// Known but for a corner.
struct KnownInPart final : KnownCase {
  bool exact(Points points, int component, double time, std::span<double> values) const override {
    KnownCase::exact(points, component, time, values);
    for (std::size_t at = 0; at < points.size(); ++at) {
      if (points.x[at] < 0.1 && points.y[at] < 0.1) values[at] = std::nan("");
    }
    return true;
  }
};

TEST(Diagnostics, GivenASolutionThatIsNotANumberSomewhereThenNoErrorIsOne) {
  const auto hierarchy = island_with_poison();
  const auto backend = make_backend("serial", 1);
  const auto errors = error_norms(*hierarchy, KnownInPart(), 0.0, *backend);
  ASSERT_TRUE(errors.has_value());
  for (const double norm : {errors->rms, errors->l1, errors->l1_relative, errors->linf}) {
    EXPECT_TRUE(std::isnan(norm)) << norm;
  }
}

/// Two components, known as 1 and 3.
struct TwoKnown : FunctionCase {
  int components() const override { return 2; }
  bool exact(Points points, int component, double, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) values[at] = 1.0 + 2.0 * component;
    return knows_second || component == 0;
  }
  bool knows_second = true;
};

/// u0 = 1.5 against 1 and u1 = 2 against 3, everywhere.
std::unique_ptr<Hierarchy> island_of_two() {
  auto hierarchy = island({}, {2, 2, 0});
  for (int index = 0; index < 3; ++index) {
    Level& level = hierarchy->level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      level.patch(slot).now().interior(0) = 1.5;
      level.patch(slot).now().interior(1) = 2.0;
    }
  }
  return hierarchy;
}

TEST(Diagnostics, GivenAFieldInAnyUnitThenItsNormsNeitherOverflowNorVanish) {
  const auto backend = make_backend("serial", 1);
  const auto usual = error_norms(*island_with_poison(), KnownCase(4.0), 0.0, *backend);
  for (const double unit : {0x1p-1000, 0x1p-600, 0x1p600, 0x1p1000}) {
    const auto hierarchy = island_with_poison();
    for (int index = 0; index < 3; ++index) {
      Level& level = hierarchy->level(index);
      for (std::size_t slot = 0; slot < level.size(); ++slot) {
        level.patch(slot).now().interior() *= unit;
      }
    }
    const auto errors = error_norms(*hierarchy, KnownCase(4.0 * unit), 0.0, *backend);
    ASSERT_TRUE(errors.has_value());
    EXPECT_EQ(errors->rms, usual->rms * unit);
    EXPECT_EQ(errors->l1_relative, usual->l1_relative);
    EXPECT_EQ(errors->l1, usual->l1 * unit);
    EXPECT_EQ(errors->linf, usual->linf * unit);
  }
}

TEST(Diagnostics, GivenTwoComponentsThenFiguresAreOfBothTogetherAndOfEach) {
  const auto hierarchy = island_of_two();
  const auto backend = make_backend("serial", 1);
  const FieldFigures figures = field_figures(*hierarchy, *backend);
  EXPECT_NEAR(figures.mass, 3.5, 1e-13);
  EXPECT_NEAR(figures.absolute_mass, 3.5, 1e-13);
  EXPECT_EQ(figures.minimum, 1.5);
  EXPECT_EQ(figures.maximum, 2.0);
  ASSERT_EQ(figures.components.size(), 2U);
  EXPECT_NEAR(figures.components[0].mass, 1.5, 1e-13);
  EXPECT_NEAR(figures.components[1].mass, 2.0, 1e-13);
  EXPECT_EQ(figures.components[1].minimum, 2.0);
  const auto errors = error_norms(*hierarchy, TwoKnown{}, 0.0, *backend);
  ASSERT_TRUE(errors.has_value());
  EXPECT_NEAR(errors->rms, std::sqrt((0.25 + 1.0) / 2), 1e-13);
  EXPECT_NEAR(errors->l1_relative, 1.5 / 4.0, 1e-13);
  EXPECT_EQ(errors->linf, 1.0);
  ASSERT_EQ(errors->components.size(), 2U);
  EXPECT_NEAR(errors->components[0].rms, 0.5, 1e-13);
  EXPECT_NEAR(errors->components[1].l1_relative, 1.0 / 3.0, 1e-13);
}

TEST(Diagnostics, GivenAComponentBelowZeroThenTheAbsoluteMassCountsItsMagnitude) {
  const auto hierarchy = island_of_two();
  const auto backend = make_backend("serial", 1);
  for (int index = 0; index < 3; ++index) {
    Level& level = hierarchy->level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      level.patch(slot).now().interior(1) = -1.5;
    }
  }
  const FieldFigures figures = field_figures(*hierarchy, *backend);
  EXPECT_NEAR(figures.mass, 0.0, 1e-13);
  EXPECT_NEAR(figures.absolute_mass, 3.0, 1e-13);
}

TEST(Diagnostics, GivenANaNInTheSecondComponentThenTheFieldIsNotFinite) {
  const auto hierarchy = island_of_two();
  const auto backend = make_backend("serial", 1);
  hierarchy->level(0).patch(0).now()(0, 0, 1) = std::nan("");
  const FieldFigures figures = field_figures(*hierarchy, *backend);
  EXPECT_FALSE(figures.finite);
  EXPECT_TRUE(figures.components[0].finite);
}

TEST(Diagnostics, GivenAComponentWithoutExactSolutionThenThereAreNoErrors) {
  const auto hierarchy = island_of_two();
  const auto backend = make_backend("serial", 1);
  TwoKnown problem;
  problem.knows_second = false;
  EXPECT_FALSE(error_norms(*hierarchy, problem, 0.0, *backend).has_value());
}

TEST(Diagnostics, GivenAnExactFieldThatIsNoNumberThenNoErrorIsOne) {
  const auto hierarchy = island_with_poison();
  const auto backend = make_backend("serial", 1);
  const auto errors = error_norms(*hierarchy, KnownCase(std::nan("")), 0.0, *backend);
  ASSERT_TRUE(errors.has_value());
  EXPECT_TRUE(std::isnan(errors->rms));
  EXPECT_TRUE(std::isnan(errors->l1_relative));
}

TEST(Diagnostics, GivenNoExactSolutionThenThereAreNoErrors) {
  const auto hierarchy = island_with_poison();
  const auto backend = make_backend("serial", 1);
  EXPECT_FALSE(error_norms(*hierarchy, FunctionCase{}, 0.0, *backend).has_value());
}

TEST(Diagnostics, GivenANaNInALeafThenTheFieldIsNotFinite) {
  const auto hierarchy = island_with_poison();
  const auto backend = make_backend("serial", 1);
  hierarchy->level(1).patch(0).now()(0, 0) = std::nan("");
  EXPECT_FALSE(field_figures(*hierarchy, *backend).finite);
}

TEST(StateHash, GivenOneBitOfALeafChangesThenTheHashChangesButCoveredPointsDoNotCount) {
  const auto hierarchy = island_with_poison();
  const std::string before = state_hash(*hierarchy);
  EXPECT_EQ(before.size(), 19U);
  EXPECT_EQ(before.substr(0, 3), "v2-");
  Level& base = hierarchy->level(0);
  const auto slot = static_cast<std::size_t>(hierarchy->mesh().find({0, 1, 1}));
  Patch& covered = base.patch(slot);
  ASSERT_TRUE(hierarchy->plan().has_children(0, slot));
  covered.now()(15, 15) = 7.0;
  EXPECT_EQ(state_hash(*hierarchy), before);
  double& leaf = base.patch(0).now()(0, 0);
  leaf = std::nextafter(leaf, 2.0);
  EXPECT_NE(state_hash(*hierarchy), before);
}

TEST(StateHash, GivenTheFirstOrLastPointOfAnyLeafBlockChangesThenTheHashChanges) {
  Hierarchy hierarchy(Geometry(64, 64, {1.0, 1.0}, {}), 2, {2, 2, 0});
  hierarchy.change(1, test::block(1, 3, 4, 3, 4));  // each the child of another patch
  int of_partly_covered = 0;
  for (int index = 0; index < 2; ++index) {
    Level& level = hierarchy.level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      for (int component = 0; component < 2; ++component)
        level.patch(slot).now().interior(component) = 1.0;
    }
  }
  const std::string before = state_hash(hierarchy);
  for (int index = 0; index < 2; ++index) {
    Level& level = hierarchy.level(index);
    for (const auto& [slot, first, size] : hierarchy.mesh().leaf_boxes(index)) {
      Patch& patch = level.patch(slot);
      if (size != kPatchSize) ++of_partly_covered;
      for (const int component : {0, 1}) {
        for (const int along : {0, size - 1}) {
          double& value = patch.now()(first[0] + along, first[1] + along, component);
          value = std::nextafter(1.0, 2.0);
          EXPECT_NE(state_hash(hierarchy), before)
              << to_string(patch.id()) << ", component " << component;
          value = 1.0;
        }
      }
    }
  }
  EXPECT_EQ(state_hash(hierarchy), before);
  EXPECT_EQ(of_partly_covered, 4 * 3);
}

}  // namespace
}  // namespace kumiko::amr
