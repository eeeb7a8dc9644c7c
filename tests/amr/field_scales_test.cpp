// Contract: the scale of Löhner's floor follows the field by factors of two, component by
// component: a field that grows from nothing is refined where one of that size from the start is.
#include "refinement/field_scales.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using test::cubic_solver;
using test::FunctionCase;
using test::run_options;

/// The scale of one component after these magnitudes, the first one at the start.
double scale_after(std::vector<double> magnitudes) {
  FieldScales scales;
  scales.begin(std::span(magnitudes).first(1));
  for (const double& magnitude : std::span(magnitudes).subspan(1)) scales.follow({&magnitude, 1});
  return scales.of(0);
}

TEST(FieldScales, GivenAMagnitudeThatStaysWithinAFactorThenTheScaleKeepsItsBits) {
  for (const double within : {0.25, 0.7, 1.0, 1.9}) {
    EXPECT_EQ(scale_after({0.3, 0.3 * within}), 0.3);
  }
}

TEST(FieldScales, GivenAMagnitudeThatGrowsOrFallsThenTheScaleFollowsByTwos) {
  EXPECT_EQ(scale_after({0.3, 0.6}), 0.6);
  EXPECT_EQ(scale_after({0.3, 10.0}), 0.3 * 32);
  EXPECT_EQ(scale_after({0.3, 0.3 / 4.1}), 0.15);
  EXPECT_EQ(scale_after({0.3, 10.0, 0.3}), 0.3 * 4) << "a quarter of it at most";
}

TEST(FieldScales, GivenAFieldThatFadesThenTheScaleStaysAboveAMillionthOfItsLargest) {
  EXPECT_EQ(scale_after({0.3, 0.0}), 0.3 * 0x1p-20);
  EXPECT_EQ(scale_after({0.3, 4.8, 1e-30}), 4.8 * 0x1p-20);
}

TEST(FieldScales, GivenAFieldThatGrowsFromNothingThenTheScaleIsThePowerOfTwoBelow) {
  EXPECT_EQ(scale_after({0.0, 0.0}), 0.0);
  EXPECT_EQ(scale_after({0.0, 5.0}), 4.0);
  EXPECT_EQ(scale_after({0.0, 1e-300}), std::exp2(std::floor(std::log2(1e-300))));
}

TEST(FieldScales, GivenWhatIsNotFiniteThenNothingChanges) {
  EXPECT_EQ(scale_after({0.3, std::numeric_limits<double>::infinity()}), 0.3);
  EXPECT_EQ(scale_after({0.3, std::numeric_limits<double>::quiet_NaN()}), 0.3);
}

TEST(FieldScales, GivenComponentsOfUnlikeSizesThenEachHasItsOwnButForWhatIsNextToNothing) {
  FieldScales scales;
  scales.begin(std::array{1e5, 1.0, 1e-20, 0.0});
  EXPECT_EQ(scales.of(0), 1e5);
  EXPECT_EQ(scales.of(1), 1.0);
  EXPECT_EQ(scales.of(2), 1e5 * 0x1p-40);
  EXPECT_EQ(scales.of(3), 1e5 * 0x1p-40);
}

TEST(FieldScales, GivenAVectorThenItsComponentsShareTheScaleOfTheLargerOne) {
  FieldScales scales({{.x = 1, .y = 3}});
  scales.begin(std::array{2.0, 1e-9, 7.0, 5.0});
  EXPECT_EQ(scales.of(0), 2.0);
  EXPECT_EQ(scales.of(1), 5.0);
  EXPECT_EQ(scales.of(2), 7.0);
  EXPECT_EQ(scales.of(3), 5.0);
  scales.follow(std::array{2.0, 21.0, 7.0, 1e-9});
  EXPECT_EQ(scales.of(1), 20.0);
  EXPECT_EQ(scales.of(3), 20.0) << "what turns keeps its size";
}

// --- In runs ---

/// Waves that enter on the left, over a field of another height; `waves` of each component.
struct Entering final : FunctionCase {
  std::vector<double> heights;
  double initial_height = 0.0;

  explicit Entering(std::vector<double> its_heights) : heights(std::move(its_heights)) {
    vx = [](double, double) { return 1.0; };
    const Boundary said{BoundaryKind::kPrescribed};
    const Boundary around{BoundaryKind::kPeriodic};
    sides = {said, {BoundaryKind::kOutflow}, around, around};
  }
  int components() const override { return static_cast<int>(heights.size()); }
  void initial(Points points, int component, std::span<double> values) const override {
    const double height = initial_height * heights[static_cast<std::size_t>(component)];
    evaluate(points, values, [=](double x, double y) { return height * bump(x - 0.5, y); });
  }
  void boundary_values(Side, Points points, int component, double time,
                       std::span<double> values) const override {
    const double height = heights[static_cast<std::size_t>(component)];
    evaluate(points, values, [=](double x, double y) { return height * bump(x + 0.3 - time, y); });
  }
  static double bump(double x, double y) {
    return std::exp(-(x * x + (y - 0.5) * (y - 0.5)) / 0.0072);
  }
};

/// Patches of level 1 when the waves are within the domain.
std::size_t refined_by(const Entering& problem, const Solver& solver = *cubic_solver()) {
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = run_options(64, 2, 128);
  Simulation run(problem, solver, *backend, options);
  run.advance(104);
  return run.hierarchy().level(1).size();
}

TEST(FieldScales, GivenADomainThatFillsThenItIsRefinedAsOneThatWasFull) {
  Entering full({1.0});
  full.initial_height = 1.0;
  const std::size_t patches = refined_by(full);
  ASSERT_GT(patches, 10U);
  ASSERT_LT(patches, 100U);
  // Their scales may differ by a factor of 2.
  const std::size_t from_nothing = refined_by(Entering({1.0}));
  EXPECT_LE(from_nothing, patches + patches / 3);
  EXPECT_EQ(refined_by(Entering({1e-7})), from_nothing);
}

TEST(FieldScales, GivenASmallComponentBesideALargeOneThenItIsRefinedToo) {
  const std::size_t patches = refined_by(Entering({1.0}));
  EXPECT_EQ(refined_by(Entering({1e5, 1.0})), patches);
  EXPECT_EQ(refined_by(Entering({1.0, 1e5})), patches);
}

/// The cubic solver of two components that make one vector.
class OfVector final : public test::WrappedSolver {
 public:
  OfVector() : WrappedSolver(cubic_solver()) {
    traits_.components = 2;
    traits_.vectors = {{.x = 0, .y = 1}};
  }
};

TEST(FieldScales, GivenAVectorAlongOneAxisThenWhatRipplesAlongTheOtherIsNotRefined) {
  const OfVector solver;
  const Entering along_x({1.0, 1e-5});
  EXPECT_EQ(refined_by(along_x, solver), refined_by(Entering({1.0})));
}

}  // namespace
}  // namespace kumiko::amr
