// Contract: Smolarkiewicz's deformation field with Rider & Kothe's reversal: the closed form,
// periodic and without divergence; the disk in the middle of the domain.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <kumiko/plugin/registry.hpp>

namespace kumiko::cases {
namespace {

constexpr double kPi = std::numbers::pi;

std::unique_ptr<amr::Case> make(double period = 2.0) {
  amr::ParameterSet parameters;
  parameters.set("period", period);
  return plugin::find_case("deformation")->make(parameters);
}

struct Velocity {
  double x;
  double y;
};

Velocity velocity_at(const amr::Case& problem, double x, double y, double time) {
  Velocity v{};
  problem.velocity({{&x, 1}, {&y, 1}}, time, {{&v.x, 1}, {&v.y, 1}});
  return v;
}

TEST(Deformation, GivenPointsInAndAboutTheDomainThenTheVelocityIsTheClosedForm) {
  const auto problem = make();
  for (const double time : {0.0, 0.3, 1.0, 1.7, 2.0}) {
    const double strength = std::cos(kPi * time / 2.0);
    for (double x = -0.13; x < 1.2; x += 0.0371) {
      for (double y = -0.11; y < 1.2; y += 0.0373) {
        const Velocity v = velocity_at(*problem, x, y, time);
        const double u = std::sin(4 * kPi * (x + 0.5)) * std::sin(4 * kPi * (y + 0.5)) * strength;
        const double w = std::cos(4 * kPi * (x + 0.5)) * std::cos(4 * kPi * (y + 0.5)) * strength;
        ASSERT_NEAR(v.x, u, 1e-14);
        ASSERT_NEAR(v.y, w, 1e-14);
      }
    }
  }
}

TEST(Deformation, GivenOppositeSidesThenTheFlowIsPeriodic) {
  const auto problem = make();
  const amr::Boundaries sides = problem->boundaries();
  EXPECT_TRUE(sides.periodic_x() && sides.periodic_y());
  for (double s = 0.0; s < 1.0; s += 0.03125) {
    const Velocity left = velocity_at(*problem, 0.0, s, 0.0);
    const Velocity right = velocity_at(*problem, 1.0, s, 0.0);
    const Velocity bottom = velocity_at(*problem, s, 0.0, 0.0);
    const Velocity top = velocity_at(*problem, s, 1.0, 0.0);
    EXPECT_EQ(left.x, right.x);
    EXPECT_EQ(left.y, right.y);
    EXPECT_EQ(bottom.x, top.x);
    EXPECT_EQ(bottom.y, top.y);
  }
}

TEST(Deformation, GivenAWalkAboutAnyBoxThenTheStreamFunctionSaysWhatFlowsOut) {
  const auto problem = make();
  const auto psi = [&](double x, double y) {
    double value = 0.0;
    EXPECT_TRUE(problem->stream_function({{&x, 1}, {&y, 1}}, 0.2, {&value, 1}));
    return value;
  };
  // Through the face from (x, y0) to (x, y1), by Simpson's rule on 64 pieces.
  const double x = 0.13;
  const double y0 = 0.21;
  const double y1 = 0.47;
  constexpr int kPieces = 64;
  const double h = (y1 - y0) / kPieces;
  double flow = 0.0;
  for (int n = 0; n < kPieces; ++n) {
    const double y = y0 + n * h;
    flow += h / 6.0 *
            (velocity_at(*problem, x, y, 0.2).x + 4.0 * velocity_at(*problem, x, y + h / 2, 0.2).x +
             velocity_at(*problem, x, y + h, 0.2).x);
  }
  EXPECT_NEAR(psi(x, y1) - psi(x, y0), flow, 1e-9);
}

TEST(Deformation, GivenHalfTheTimeThenTheFlowTurnsBack) {
  const auto problem = make(3.0);
  EXPECT_DOUBLE_EQ(problem->end_time(), 3.0);
  EXPECT_NEAR(velocity_at(*problem, 0.3, 0.6, 1.5).x, 0.0, 1e-15);
  const Velocity before = velocity_at(*problem, 0.3, 0.6, 1.1);
  const Velocity after = velocity_at(*problem, 0.3, 0.6, 1.9);
  EXPECT_NEAR(before.x, -after.x, 1e-15);
  EXPECT_NEAR(before.y, -after.y, 1e-15);
}

TEST(Deformation, GivenTheDiskThenItIsInTheMiddleAndKnownAtTheStartAndTheEnd) {
  const auto problem = make();
  const auto exact_at = [&](double x, double y, double time) {
    double value = -1.0;
    EXPECT_TRUE(problem->exact({{&x, 1}, {&y, 1}}, 0, time, {&value, 1}));
    return value;
  };
  for (const double time : {0.0, 2.0}) {
    EXPECT_EQ(exact_at(0.5, 0.64, time), 1.0);
    EXPECT_EQ(exact_at(0.5, 0.66, time), 0.0);
    EXPECT_EQ(exact_at(0.36, 0.5, time), 1.0);
  }
  const double x = 0.5;
  double value = 0.0;
  EXPECT_FALSE(problem->exact({{&x, 1}, {&x, 1}}, 0, 1.0, {&value, 1}));
}

}  // namespace
}  // namespace kumiko::cases
