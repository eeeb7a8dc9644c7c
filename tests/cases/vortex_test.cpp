// Contract: the reversing single vortex of LeVeque 1996 and Rider & Kothe 1998: its velocity by the
// closed form, without divergence, zero on the sides; its solution at the start and the end.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/flow_check.hpp>
#include <kumiko/plugin/registry.hpp>

namespace kumiko::cases {
namespace {

constexpr double kPi = std::numbers::pi;

std::unique_ptr<amr::Case> make(const std::string& initial = "disk", double period = 8.0) {
  const plugin::CaseFactory* const factory = plugin::find_case("vortex");
  amr::ParameterSet parameters = amr::defaults(factory->parameters);
  parameters.set("initial", initial);
  parameters.set("period", period);
  return factory->make(parameters);
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

double initial_at(const amr::Case& problem, double x, double y) {
  double value = -1.0;
  problem.initial({{&x, 1}, {&y, 1}}, 0, {&value, 1});
  return value;
}

TEST(Vortex, GivenPointsInAndAboutTheDomainThenTheVelocityIsTheClosedForm) {
  const auto problem = make();
  for (const double time : {0.0, 1.3, 5.0, 8.0}) {
    const double strength = std::cos(kPi * time / 8.0);
    for (double x = -0.13; x < 1.2; x += 0.0371) {
      for (double y = -0.11; y < 1.2; y += 0.0373) {
        const Velocity v = velocity_at(*problem, x, y, time);
        const double square_x = std::pow(std::sin(kPi * x), 2);
        const double square_y = std::pow(std::sin(kPi * y), 2);
        ASSERT_NEAR(v.x, square_x * std::sin(2 * kPi * y) * strength, 2e-15);
        ASSERT_NEAR(v.y, -square_y * std::sin(2 * kPi * x) * strength, 2e-15);
      }
    }
  }
}

TEST(Vortex, GivenTheSidesThenNothingMovesThere) {
  const auto problem = make();
  for (double s = 0.0; s <= 1.0; s += 0.125) {
    for (const double side : {0.0, 1.0}) {
      for (const Velocity& v :
           {velocity_at(*problem, side, s, 0.0), velocity_at(*problem, s, side, 0.0)}) {
        EXPECT_NEAR(v.x, 0.0, 1e-15);
        EXPECT_NEAR(v.y, 0.0, 1e-15);
      }
    }
  }
}

TEST(Vortex, GivenHalfTheTimeThenTheFlowTurnsBack) {
  const auto problem = make("disk", 2.0);
  EXPECT_DOUBLE_EQ(problem->end_time(), 2.0);
  EXPECT_FALSE(problem->steady_velocity());
  EXPECT_NEAR(velocity_at(*problem, 0.3, 0.6, 1.0).x, 0.0, 1e-15);
  const Velocity before = velocity_at(*problem, 0.3, 0.6, 0.7);
  const Velocity after = velocity_at(*problem, 0.3, 0.6, 1.3);
  EXPECT_NEAR(before.x, -after.x, 1e-15);
  EXPECT_NEAR(before.y, -after.y, 1e-15);
}

TEST(Vortex, GivenTheDiskThenItIsTheLiteratures) {
  const auto problem = make();
  EXPECT_EQ(initial_at(*problem, 0.5, 0.75), 1.0);
  EXPECT_EQ(initial_at(*problem, 0.5, 0.89), 1.0);
  EXPECT_EQ(initial_at(*problem, 0.5, 0.91), 0.0);
  EXPECT_EQ(initial_at(*problem, 0.5, 0.59), 0.0);
}

TEST(Vortex, GivenAGaussianThenItIsSmooth) {
  const auto problem = make("gaussian");
  EXPECT_EQ(initial_at(*problem, 0.5, 0.75), 1.0);
  EXPECT_NEAR(initial_at(*problem, 0.55, 0.75), std::exp(-0.5), 1e-14);
}

TEST(Vortex, GivenAPeriodThenItsPublishedErrorsAloneAreNamed) {
  const auto first_of = [](double period) {
    const auto values = make("disk", period)->published_values();
    EXPECT_GE(values.size(), 3U);
    EXPECT_EQ(values[0].points, 32);
    EXPECT_EQ(values[2].points, 128);
    EXPECT_EQ(values[0].norm, "l1");
    return values[0].value;
  };
  EXPECT_EQ(first_of(0.5), 7.29e-4);
  EXPECT_EQ(first_of(2.0), 2.36e-3);
  EXPECT_EQ(first_of(8.0), 4.78e-2);
  EXPECT_TRUE(make("disk", 3.0)->published_values().empty());
  EXPECT_TRUE(make("gaussian", 8.0)->published_values().empty());
}

TEST(Vortex, GivenTimesThenTheSolutionIsKnownAtTheStartAndTheEndOnly) {
  const auto problem = make();
  const double x = 0.5;
  const double y = 0.7;
  double value = -1.0;
  for (const double time : {0.0, 8.0}) {
    EXPECT_TRUE(problem->exact({{&x, 1}, {&y, 1}}, 0, time, {&value, 1}));
    EXPECT_EQ(value, 1.0);
  }
  EXPECT_FALSE(problem->exact({{&x, 1}, {&y, 1}}, 0, 4.0, {&value, 1}));
  double dx = 0.0;
  double dy = 0.0;
  EXPECT_FALSE(problem->exact_displacement({{&x, 1}, {&y, 1}}, 1.0, 0.1, {{&dx, 1}, {&dy, 1}}));
}

std::unique_ptr<amr::Case> make_with(const std::string& key, const amr::ParameterValue& value) {
  const plugin::CaseFactory* const factory = plugin::find_case("vortex");
  amr::ParameterSet parameters = amr::defaults(factory->parameters);
  parameters.set(key, value);
  return factory->make(parameters);
}

TEST(Vortex, GivenADriftThenFlowAndFieldMoveWithIt) {
  const auto moving = make_with("drift", 0.3);
  const auto standing = make();
  EXPECT_FALSE(moving->velocity_factor(0.0));
  EXPECT_FALSE(amr::contradiction(*moving)) << "of stream function and velocity";
  EXPECT_EQ(moving->boundaries().left.kind, amr::BoundaryKind::kPeriodic);
  for (const double time : {0.0, 1.7, 8.0}) {
    for (const double x : {-0.2, 0.15, 0.6, 0.97}) {
      const Velocity there = velocity_at(*moving, x + 0.3 * time, 0.35, time);
      const Velocity here = velocity_at(*standing, x, 0.35, time);
      EXPECT_NEAR(there.x, here.x + 0.3, 1e-14);
      EXPECT_NEAR(there.y, here.y, 1e-14);
    }
  }
  const double x = 0.5 + 0.3 * 8.0 - 2.0;  // the disk's centre at the end, in the unit square
  const double y = 0.75;
  double value = -1.0;
  ASSERT_TRUE(moving->exact({{&x, 1}, {&y, 1}}, 0, 8.0, {&value, 1}));
  EXPECT_EQ(value, 1.0);
  const double beside = x - 0.2;
  ASSERT_TRUE(moving->exact({{&beside, 1}, {&y, 1}}, 0, 8.0, {&value, 1}));
  EXPECT_EQ(value, 0.0);
}

TEST(Vortex, GivenNoReversalThenTheFlowIsSteadyAndTheEndUnknown) {
  const auto steady = make_with("reverses", false);
  EXPECT_TRUE(steady->steady_velocity());
  EXPECT_EQ(velocity_at(*steady, 0.3, 0.2, 5.0).x, velocity_at(*make(), 0.3, 0.2, 0.0).x);
  const double at = 0.5;
  double value = -1.0;
  EXPECT_FALSE(steady->exact({{&at, 1}, {&at, 1}}, 0, 8.0, {&value, 1}));
  EXPECT_TRUE(steady->published_values().empty());
}

TEST(Vortex, GivenManyPointsAtOnceThenEachHasTheBitsThatItHasAlone) {
  const auto problem = make();
  std::vector<double> x;
  std::vector<double> y;
  // A grid whose rows are long, one whose rows are short, and points that form none.
  for (const auto& [width, rows] : {std::pair{27, 29}, std::pair{3, 5}, std::pair{70, 2}}) {
    for (int row = 0; row < rows; ++row) {
      for (int at = 0; at < width; ++at) {
        x.push_back(0.013 * at);
        y.push_back(0.017 * row + 0.1);
      }
    }
  }
  for (int at = 0; at < 131; ++at) {
    x.push_back(std::fmod(0.37 * at, 1.0));
    y.push_back(std::fmod(0.61 * at, 1.0));
  }
  std::vector<double> vx(x.size());
  std::vector<double> vy(x.size());
  std::vector<double> psi(x.size());
  problem->velocity({x, y}, 0.7, {vx, vy});
  ASSERT_TRUE(problem->stream_function({x, y}, 0.7, psi));
  for (std::size_t at = 0; at < x.size(); ++at) {
    const Velocity alone = velocity_at(*problem, x[at], y[at], 0.7);
    ASSERT_EQ(vx[at], alone.x) << at;
    ASSERT_EQ(vy[at], alone.y) << at;
    double psi_alone = 0.0;
    ASSERT_TRUE(problem->stream_function({{&x[at], 1}, {&y[at], 1}}, 0.7, {&psi_alone, 1}));
    ASSERT_EQ(psi[at], psi_alone) << at;
  }
}

}  // namespace
}  // namespace kumiko::cases
